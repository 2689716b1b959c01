#!/bin/sh
# .make/coverage.sh: after `make test MODE=cov`, the share of lines that ran, file by file, the least first.
cd "$(dirname "$0")/.." || exit 1
find build/cov/lang build/cov/runtime build/cov/repl -name '*.gcda' | xargs gcov -n 2> /dev/null | awk '
    /^File / { file = $2; gsub(/\047/, "", file) }
    /^Lines executed:/ && file ~ /^(lang|runtime|repl)\/.*\.c$/ {
        split($0, part, /[:% ]+/)
        printf "%6.1f%%  of %5d lines  %s\n", part[3], part[5], file
        ran += part[3] * part[5] / 100
        all += part[5]
        file = ""
    }
    END { if (all) printf "%6.1f%%  of %5d lines  in all\n", 100 * ran / all, all }' | sort -n
