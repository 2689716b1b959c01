#!/bin/sh
# Installs what is missing: Debian packages (as root; otherwise prints the command) and, for the tests, a Python
# environment under build/. Never fails the build: what is not available is reported and left out. Quick if nothing is missing.
cd "$(dirname "$0")/.." || exit 1
mkdir -p build

need="gcc g++ make pkg-config python3 python3-venv libpython3-dev libopenblas-dev libreadline-dev libcmocka-dev libzip-dev libhdf5-dev zlib1g-dev libpcre2-dev libpng-dev libzmq3-dev libjansson-dev gnuplot-nox chafa openmpi-bin"
installed() { dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2> /dev/null | grep -q '^ii'; }

# The newest LLVM from 15 to 19 that is installed, or else that the distribution has.
llvm() {
    for v in 19 18 17 16 15; do installed "llvm-$v-dev" && return; done
    for v in 19 18 17 16 15; do
        apt-cache show "llvm-$v-dev" > /dev/null 2>&1 && { missing="$missing llvm-$v-dev"; return; }
    done
    missing="$missing llvm-19-dev"
}

# clang, the second compiler that must accept the sources: of the same version.
clang() {
    command -v clang > /dev/null && return
    for v in 19 18 17 16 15; do installed "clang-$v" && return; done
    for v in 19 18 17 16 15; do
        apt-cache show "clang-$v" > /dev/null 2>&1 && { missing="$missing clang-$v"; return; }
    done
}

# The version of clang-format that the Makefile names, where the distribution has it.
format() {
    package=clang-format-$(sed -n 's/^FORMAT_VERSION = //p' Makefile)
    installed "$package" || { apt-cache show "$package" > /dev/null 2>&1 && missing="$missing $package"; }
}

missing=
if command -v dpkg-query > /dev/null; then
    # One call for all; a package that is not known at all is not installed either.
    there=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $need 2> /dev/null | sed -n 's/^ii *//p')
    for p in $need; do echo "$there" | grep -qx "$p" || missing="$missing $p"; done
    llvm
    clang
    format
    if [ -n "$missing" ]; then
        install="apt-get install -y --no-install-recommends$missing"
        if [ "$(id -u)" = 0 ]; then
            echo "deps: installing$missing"
            export DEBIAN_FRONTEND=noninteractive
            { apt-get update && $install; } > build/deps.log 2>&1 ||
                { tail -5 build/deps.log; echo "deps: apt-get failed (build/deps.log); going on without"; }
            rm -f build/config-*.mk
        else
            echo "deps: missing packages; to install them:"
            echo "    sudo $install"
        fi
    fi
else
    echo "deps: not a Debian system; gpa wants a C compiler, LLVM 15 or later, OpenBLAS, readline, libzip, libpng, cmocka, ZeroMQ, jansson"
fi

# packages FILE WHAT: Python packages for the tests, once for each state of the file that lists them.
packages() {
    note=build/venv/$(echo "$1" | tr / -)
    cmp -s "$1" "$note" && return
    echo "deps: installing $2 into build/venv"
    { [ -x build/venv/bin/pip ] || python3 -m venv build/venv
      build/venv/bin/pip install -q --disable-pip-version-check -r "$1"; } > build/venv.log 2>&1 && cp "$1" "$note" ||
        { tail -3 build/venv.log; echo "deps: no $2 (build/venv.log); going on without"; }
}
packages tests/requirements.txt "NumPy, the oracle of the tests"
packages tests/prompt/requirements.txt "a terminal's screen, for the tests of the prompt"
packages tests/python/requirements.txt "matplotlib, for the tests of the bridge to CPython"
packages tests/kernel/requirements.txt "Jupyter's client and test suite"
exit 0
