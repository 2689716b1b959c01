# Reads the list of jobs (NUMBER KIND FILE) and each job's output; prints what failed with its reasons, the skips, a line
# per kind, and the total. Exits 1 when something failed.
{
    kind = $2
    if (!(kind in passed)) { kinds[++n_kinds] = kind; passed[kind] = failed[kind] = 0 }
    path = out "/" $1
    bad = status = tail = ""
    detail = 0
    while ((getline line < path) > 0) {
        if (line ~ /^ok /) { passed[kind]++; detail = 0 }
        else if (line ~ /^not ok [0-9]+ # SKIP/) { skipped++; reasons[said]++; detail = 0 } # cmocka's skip(), its reason above
        else if (line ~ /^not ok /) {
            failed[kind]++
            bad = 1
            detail = 1
            sub(/^not ok [0-9]* *- */, "", line)
            print "FAILED " $3 ": " line
        }
        else if (line ~ /^skip - /) { skipped++; sub(/^skip - /, "", line); reasons[line]++; detail = 0 }
        else if (line ~ /^status /) status = substr(line, 8) + 0
        else if (detail) print "    " line
        else if (line !~ /^(1\.\.[0-9]+|# ok - |TAP version)/) {
            tail = tail "    " line "\n"
            said = line
        }
    }
    close(path)
    if (status != 0 && !bad) {
        failed[kind]++
        print "FAILED " $3 ": " (status == 124 ? "took too long" : "ended with status " status)
        printf "%s", tail
    }
}
END {
    for (reason in reasons) print "skipped " reasons[reason] ": " reason
    for (i = 1; i <= n_kinds; i++) {
        kind = kinds[i]
        printf "%-8s %d passed, %d failed\n", kind ":", passed[kind], failed[kind]
        all_passed += passed[kind]
        all_failed += failed[kind]
    }
    printf "%d passed, %d failed%s\n", all_passed, all_failed, skipped ? ", " skipped " skipped" : ""
    exit all_failed > 0 || all_passed == 0
}
