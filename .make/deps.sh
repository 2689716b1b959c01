#!/bin/sh
# Installs what is missing: Debian packages (as root; otherwise prints the command) and, for the tests, a Python
# environment under build/. Never fails the build: what cannot be had is reported and left out. Quick when all is there.
cd "$(dirname "$0")/.." || exit 1
mkdir -p build

need="gcc make pkg-config python3 python3-venv libopenblas-dev libreadline-dev libcmocka-dev libzip-dev zlib1g-dev libzmq3-dev libjansson-dev"
installed() { dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2> /dev/null | grep -q '^ii'; }

# The newest LLVM from 15 to 19 that is installed, or else that the distribution has.
llvm() {
    for v in 19 18 17 16 15; do installed "llvm-$v-dev" && return; done
    for v in 19 18 17 16 15; do
        apt-cache show "llvm-$v-dev" > /dev/null 2>&1 && { missing="$missing llvm-$v-dev"; return; }
    done
    missing="$missing llvm-19-dev"
}

missing=
if command -v dpkg-query > /dev/null; then
    # One call for all; a package that is not known at all is not installed either.
    there=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $need 2> /dev/null | sed -n 's/^ii *//p')
    for p in $need; do echo "$there" | grep -qx "$p" || missing="$missing $p"; done
    llvm
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
    echo "deps: not a Debian system; gpa wants a C compiler, LLVM 15 or later, OpenBLAS, readline, libzip, cmocka, ZeroMQ, jansson"
fi

# The oracle of the tests: NumPy at a known version.
want=$(cat tests/requirements.txt)
if [ "$(cat build/venv/requirements 2> /dev/null)" != "$want" ]; then
    echo "deps: installing NumPy for the tests into build/venv"
    { python3 -m venv build/venv && build/venv/bin/pip install -q --disable-pip-version-check -r tests/requirements.txt; } \
        > build/venv.log 2>&1 && cp tests/requirements.txt build/venv/requirements ||
        { tail -3 build/venv.log; echo "deps: no NumPy for the tests (build/venv.log); going on without"; }
fi
exit 0
