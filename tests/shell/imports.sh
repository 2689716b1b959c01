# Reports of errors across files: each frame with its own file, the innermost first.
. tests/checks.sh
workspace imports
program=$GPA
cd "$work" || exit 1
printf 'def ratio(a, b):\n    return a / b\n' > helper.gpa
printf 'import helper\n\ndef main():\n    return helper.ratio(1, 0)\n\nmain()\n' > main.gpa
printf 'x = 1\ny = x +\n' > broken.gpa
printf 'import broken\n' > breaks.gpa

equal "an error in an imported file" "$("$program" main.gpa 2>&1 > /dev/null)" 'ZeroDivisionError: division by zero
  File "helper.gpa", line 2, in ratio
    return a / b
             ^
  called from File "main.gpa", line 4, in main
    return helper.ratio(1, 0)
  called from File "main.gpa", line 6, in <module>
    main()'
equal "an imported file that does not parse" "$("$program" breaks.gpa 2>&1 > /dev/null)" 'SyntaxError: invalid syntax
  File "broken.gpa", line 2
    y = x +
           ^'
mkdir -p first second && echo 'folder = "second"' > second/found.py && echo 'import found; print(found.folder)' > finds.py
equal "a module in a folder of PYTHONPATH" "$(PYTHONPATH=$work/first:$work/second "$program" finds.py 2>&1)" second
finish
