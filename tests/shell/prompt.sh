# The prompt at a terminal.
exec "$PYTHON" tests/prompt.py "$GPA"
