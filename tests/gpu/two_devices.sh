# Arrays on several GPUs, where there are two.
[ "$("$GPA" --devices | grep -c '^ *cuda:[0-9]')" -ge 2 ] || { echo "skip - one GPU"; exit 0; }
GPA_DEVICE=cuda:0 exec "$PYTHON" tests/lang.py tests/gpu/two_devices.gpa
