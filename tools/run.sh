#!/bin/sh
# tools/run.sh PROGRAM: the demonstration, in a copy of the examples, where it may write.
set -e
cd "$(dirname "$0")/.."
program=$PWD/$1
rm -rf build/run && cp -R examples build/run && cd build/run
exec "$program" main.gpa
