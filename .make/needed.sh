#!/bin/sh
# .make/needed.sh PROGRAM...: the shared libraries that these programs and libraries need, all but the C library's own.
for f; do ldd "$f" 2> /dev/null; done | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(ld-linux[^/]*|lib(c|m|dl|pthread|rt|resolv|util|nsl))\.so[.0-9]*$'
exit 0
