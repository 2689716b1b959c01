# What `make install` puts down runs from there, and finds its plugins, whatever the working folder; an archive of
# `make dist` runs after being moved.
work=$OUT/install; rm -rf "$work"; mkdir -p "$work"
bad=0
report() { if [ "$1" = "$2" ]; then echo "ok - $3"; else echo "not ok - $3: got '$1', not '$2'"; bad=1; fi; }
unset GPA_PLUGIN_DIR

make -s install MODE="$MODE" DESTDIR="$work" PREFIX=/opt > "$work/log" 2>&1 || { sed 's/^/# /' "$work/log"; }
mv "$work/opt" "$work/moved"
program=$work/moved/bin/gpa
cd / || exit 1
report "$("$program" -c 'print((arange(10) ** 2).sum())' 2>&1)" 285 "an installed program runs"
if [ -e "$work/moved/lib/gpa/gpa-cpu.so" ]; then
    report "$("$program" --device cpu -c 'print((arange(10) ** 2).sum())' 2>&1)" 285 "it finds its plugin"
fi
report "$(ls "$work/moved/share/doc/gpa/LICENSE")" "$work/moved/share/doc/gpa/LICENSE" "the licence is there"
exit $bad
