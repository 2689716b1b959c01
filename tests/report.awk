# The report of test jobs: reads a list of jobs (NUMBER KIND FILE [PART]) and the output of each in the folder `out`.
# With running=1: the job that just ended, in a line of its own after its failures. Otherwise: all failures with their
# reasons, the reasons of skipped tests, a line for each kind and the total; exits 1 if a test failed or a job did not end.
{
    kind = $2
    name = $2 " " $3 ($4 == "" ? "" : " " $4)
    if (!(kind in passed)) { kinds[++n_kinds] = kind; passed[kind] = failed[kind] = 0 }
    path = out "/" $1
    bad = detail = 0
    status = tail = message = ""
    while ((getline line < path) > 0) {
        if (line ~ /^ok /) { passed[kind]++; detail = 0 }
        else if (line ~ /^not ok [0-9]+ # SKIP/) { skip(message); detail = 0 } # cmocka's skip(): its reason is the line before
        else if (line ~ /^not ok /) {
            failed[kind]++
            bad = detail = 1
            sub(/^not ok [0-9]* *- */, "", line)
            print "FAILED " name ": " line
        }
        else if (line ~ /^skip - /) { skip(substr(line, 8)); detail = 0 }
        else if (line ~ /^status [0-9]+ after /) { split(line, word, " "); status = word[2]; seconds = word[4] }
        else if (detail) print "    " line
        else if (line !~ /^(1\.\.[0-9]+|# ok - |TAP version)/) {
            tail = tail "    " line "\n"
            message = line
        }
    }
    close(path)
    if (status == "") unfinished++
    else if (status != 0 && !bad) {
        failed[kind]++
        print "FAILED " name ": " (status == 124 ? "took too long" : "ended with status " status)
        printf "%s", tail
    }
}

function skip(reason) { skipped++; reasons[reason]++ }

function total(passed, failed, skipped) {
    return passed " passed, " failed " failed" (skipped ? ", " skipped " skipped" : "")
}

function report_job(    path, all, ended, failures) {
    path = out "/jobs"
    while ((getline line < path) > 0) all++
    print failed[kind] >> (out "/ended")
    close(out "/ended")
    while ((getline line < (out "/ended")) > 0) { ended++; failures += line }
    printf "%4d/%d %s: %s, %d s%s\n", ended, all, name, total(passed[kind], failed[kind], skipped), seconds,
        failures ? " (" failures " failed so far)" : ""
}

END {
    if (running) { report_job(); exit }
    for (reason in reasons) print "skipped " reasons[reason] ": " reason
    for (i = 1; i <= n_kinds; i++) {
        kind = kinds[i]
        printf "%-16s %s\n", kind ":", total(passed[kind], failed[kind])
        all_passed += passed[kind]
        all_failed += failed[kind]
    }
    if (unfinished) print "cut short: " unfinished " of " NR " jobs did not end"
    print total(all_passed + 0, all_failed + 0, skipped)
    exit all_failed > 0 || all_passed == 0 || unfinished > 0
}
