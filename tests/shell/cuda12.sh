# The sources that the CUDA device generates compile with CUDA 12 too, above a driver of that version without a GPU. The
# compiler is that of $CUDA12 (a toolkit), of /usr/local/cuda-12*, or what tests/cuda12.txt installs.
. tests/checks.sh
[ -e "$B/tests/fake/libcuda.so.1" ] && [ -x "$B/tests/unit/test_cuda_emit" ] || skip "no driver to stand in, or no cmocka"
found=
for folder in ${CUDA12:+"$CUDA12/lib64" "$CUDA12/lib"} /usr/local/cuda-12*/lib64 \
    build/venv/lib/python3*/site-packages/nvidia/cuda_nvrtc/lib; do
    [ ! -e "$folder/libnvrtc.so.12" ] || found=$(realpath "$folder")
done
[ "$found" ] || skip "no compiler of CUDA 12"
workspace cuda12
ln -s "$found" "$work/lib64"
export CUDA_PATH=$work LD_LIBRARY_PATH=$B/tests/fake:$LD_LIBRARY_PATH STUB_CUDA=version=12000 GPA_DEVICE=cuda:0
export GPA_CACHE_DIR=$work/cache
unset CUDA_HOME
LD_DEBUG=files "$GPA" -c 'print(ones(2) + 1)' 2>&1 | grep -q "calling init: $work/lib64/libnvrtc.so.12"
verdict "the compiler of CUDA 12" $?
"$B/tests/unit/test_cuda_emit" || bad=1
"$PYTHON" tests/fake/compile.py tests/lang/cuda_kernels.gpa tests/lang/typed_ufuncs.gpa tests/lang/random.gpa || bad=1
finish
