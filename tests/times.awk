# The rows of tests/times.txt that a run measured: reads its list of jobs (NUMBER KIND FILE [PART/PARTS]) and the output of each
# in the folder `out`. `selection`: what ran; a file that takes more than `most` seconds (30) should have so many parts.
#   awk -f tests/times.awk selection=gpu out=build/release/test-gpu build/release/test-gpu/jobs
BEGIN { most = 30 }
{
    file = $2 " " $3
    path = out "/" $1
    while ((getline line < path) > 0)
        if (line ~ /^status [0-9]+ after /) { split(line, word, " "); time[file] += word[6] }
    close(path)
}
END {
    for (file in time) {
        parts = int((time[file] + most - 1) / most)
        if (time[file] > 10) printf "%s %s %d %d\n", selection, file, parts, time[file] | "sort -k 5,5gr -k 3,3"
    }
}
