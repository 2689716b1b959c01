#!/bin/sh
# Finds what this machine has and prints it as make variables: for each part HAVE_X, X_CFLAGS, X_LIBS; and LEFT_OUT,
# one word (underscores for spaces) for each part that is missing. A part counts only if a program with it links.
CC=${CC:-cc}
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
left=

# links SOURCE FLAGS...: does the one-file program compile and link?
links() {
    printf '%s\n' "$1" > "$tmp/t.c"; shift
    $CC -o "$tmp/t" "$tmp/t.c" "$@" > /dev/null 2>&1
}
have() {   # NAME CFLAGS LIBS [the name as a C macro]
    printf 'HAVE_%s = 1\n%s_CFLAGS = %s -DGPA_HAVE_%s=1\n%s_LIBS = %s\n' "$1" "$1" "$2" "$1" "$1" "$3"
}
# part NAME PKG-CONFIG-NAME LIBS SOURCE MESSAGE: flags from pkg-config, else LIBS as they stand.
part() {
    cflags=$(pkg-config --cflags "$2" 2> /dev/null) && libs=$(pkg-config --libs "$2") || { cflags=; libs=$3; }
    if links "$4" $cflags $libs; then have "$1" "$cflags" "$libs"; else left="$left $5"; fi
}

if ! links 'int main(void) { return 0; }'; then
    echo "no working C compiler ($CC): run make deps" >&2
    exit 1
fi
part READLINE readline -lreadline '#include <stdio.h>
#include <readline/readline.h>
int main(void) { return readline("") != 0; }' 'line_editing_at_the_prompt_(libreadline-dev)'
part ZIP libzip -lzip '#include <zip.h>
int main(void) { return zip_libzip_version() == 0; }' '.npz_files_(libzip-dev)'
part ZLIB zlib -lz '#include <zlib.h>
int main(void) { return zlibVersion() == 0; }' '.gz_files_(zlib1g-dev)'
part PCRE2 libpcre2-8 -lpcre2-8 '#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
int main(void) { return pcre2_config(PCRE2_CONFIG_VERSION, 0) == 0; }' 'regular_expressions_(libpcre2-dev)'
part PNG libpng -lpng '#include <png.h>
int main(void) { return png_access_version_number() == 0; }' 'pictures_in_PNG_files_(libpng-dev)'
part CMOCKA cmocka -lcmocka '#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
int main(void) { return cmocka_run_group_tests_name("", (const struct CMUnitTest *)0, 0, 0); }' \
    'the_unit_tests_(libcmocka-dev)'

# LLVM 15 or later, the newest that is there.
llvm=
for name in llvm-config-19 llvm-config-20 llvm-config-21 llvm-config-18 llvm-config-17 llvm-config-16 llvm-config-15 llvm-config; do
    version=$($name --version 2> /dev/null) || continue
    [ "${version%%.*}" -ge 15 ] || continue
    cflags="-isystem $($name --includedir)"
    libs="-L$($name --libdir) $($name --link-shared --libs 2> /dev/null)"
    if links '#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
int main(void) { return LLVMContextCreate() == 0; }' $cflags $libs; then llvm=$name; break; fi
done
# static_llvm LLVM-CONFIG: prints the flags that link its static libraries, if these are there.
static_llvm() {
    static="-L$($1 --libdir) $($1 --link-static --libs orcjit native passes 2> /dev/null)"
    static="-Wl,--gc-sections,--exclude-libs,ALL $static -lz -l:libzstd.so.1 -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -static-libgcc -ldl -lpthread -lm"
    links '#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
int main(void) { return LLVMContextCreate() == 0 || LLVMOrcCreateLLJITBuilder() == 0; }' $cflags $static && echo "$static"
}
if [ -n "$llvm" ]; then have LLVM "$cflags" "$libs"; echo "LLVM_STATIC_LIBS = $(static_llvm $llvm)"; else left="$left the_CPU_device:_no_LLVM_15_or_later_(llvm-19-dev)"; fi

part BLAS openblas -lopenblas '#include <cblas.h>
int main(void) { float x = 1; return cblas_sdot(1, &x, 1, &x, 1) != 1; }' 'fast_matrix_products_(libopenblas-dev)'
part ZMQ libzmq -lzmq '#include <zmq.h>
int main(void) { return zmq_ctx_new() == 0; }' 'the_Jupyter_kernel:_no_ZeroMQ_(libzmq3-dev)'
part JANSSON jansson -ljansson '#include <jansson.h>
int main(void) { return json_null() == 0; }' 'the_Jupyter_kernel:_no_jansson_(libjansson-dev)'
# nvcc, from the PATH or the toolkit's folder; through ccache where the C compiler goes through it.
nvcc=$(command -v nvcc) || nvcc=/usr/local/cuda/bin/nvcc
printf '#include <cub/version.cuh>\nint version(void) { return CUB_VERSION; }\n' > "$tmp/t.cu"
if "$nvcc" -c -o "$tmp/t.o" "$tmp/t.cu" > /dev/null 2>&1; then
    case $(readlink -f "$(command -v "$CC")") in *ccache*) nvcc="ccache $nvcc" ;; esac
    printf 'HAVE_NVCC = 1\nNVCC = %s\n' "$nvcc"
else
    left="$left sorting,_and_first_calls_before_the_compiler_is_done,_on_the_GPU:_no_nvcc_with_CUB_(CUDA_toolkit)"
fi
echo "LEFT_OUT =$left"
