# Reports of errors that pass files: each frame with its own file, the innermost first.
work=$OUT/imports; rm -rf "$work"; mkdir -p "$work"; program=$GPA bad=0
cd "$work" || exit 1
printf 'def ratio(a, b):\n    return a / b\n' > helper.gpa
printf 'import helper\n\ndef main():\n    return helper.ratio(1, 0)\n\nmain()\n' > main.gpa
printf 'x = 1\ny = x +\n' > broken.gpa
printf 'import broken\n' > breaks.gpa

# reports NAME FILE TEXT: what the program says on the error stream.
reports() {
    if diff <(printf '%s\n' "$3") <("$program" "$2" 2>&1 > /dev/null) > difference; then echo "ok - $1"
    else echo "not ok - $1"; sed 's/^/# /' difference; bad=1; fi
}

reports "an error in an imported file" main.gpa 'ZeroDivisionError: division by zero
  File "helper.gpa", line 2, in ratio
    return a / b
             ^
  called from File "main.gpa", line 4, in main
    return helper.ratio(1, 0)
  called from File "main.gpa", line 6, in <module>
    main()'
reports "an imported file that does not parse" breaks.gpa 'SyntaxError: invalid syntax
  File "broken.gpa", line 2
    y = x +
           ^'
exit $bad
