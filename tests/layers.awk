# awk -f layers.awk layers.txt FILES: the quoted includes of each file against the row of its folder.
# `dir/*.h` in a row means the headers of that folder, not those of the folders below it; `x.h` allows x.def too.

function complain(text) { print text; bad = 1 }

function allowed(inc, row,    i, want, rest) {
    sub(/\.def$/, ".h", inc)
    for (i = 1; i <= width[row]; i++) {
        want = may[row, i]
        if (sub(/\*\.h$/, "", want)) {
            rest = substr(inc, length(want) + 1)
            if (index(inc, want) == 1 && rest !~ /\//) return 1
        } else if (index(inc, want) == 1) return 1
    }
    return 0
}

FNR == NR {
    sub(/#.*/, "")
    if (!NF) next
    row = $1
    $1 = ""
    for (name in list) while (at = index($0, name)) $0 = substr($0, 1, at - 1) list[name] substr($0, at + length(name))
    if (row ~ /^\$/) { list[row] = $0; next }
    width[row] = split($0, words, " ")
    for (i in words) may[row, i] = words[i]
    next
}

FNR == 1 {
    folder = FILENAME
    sub(/\/[^\/]*$/, "", folder)
    seen[folder] = 1
    known = folder in width
    if (!known && !said[folder]++) complain(folder ": no row in tests/layers.txt")
}

known && match($0, /^[ \t]*#[ \t]*include[ \t]+"[^"]+"/) {
    split($0, part, "\"")
    if (!allowed(part[2], folder)) complain(FILENAME ":" FNR ": " folder " may not include " part[2])
}

END {
    for (row in width) if (!(row in seen) && strict) complain("tests/layers.txt: there is no folder " row)
    exit bad
}
