"""The Python side of gpa's bridge: streams, and stand-ins for values of gpa in Python.

Runs once when the interpreter is loaded, in the module `gpa`, as do arrays.py and displays.py, its other parts. The
functions named `_gpa_*` are gpa's, and come with the module's names: they take the handle of a value (a capsule) first.
"""
import io
import sys
import types


class Stream(io.TextIOBase):
    """sys.stdout and sys.stderr: text goes to gpa's streams, in order with its own output."""

    encoding = "utf-8"
    errors = "replace"
    newlines = None

    def __init__(self, number):
        self._number = number
        self.name = "<stderr>" if number == 2 else "<stdout>"
        self.mode = "w"

    def writable(self):
        return True

    def isatty(self):
        return False

    def fileno(self):
        return self._number

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        _gpa_write(self._number, text)
        return len(text)

    def flush(self):
        _gpa_flush()


class Input(io.TextIOBase):
    """sys.stdin: lines that gpa's prompt or notebook asks for."""

    encoding = "utf-8"
    errors = "strict"

    def readable(self):
        return True

    def readline(self, size=-1):
        return _gpa_input("", False)

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line


def _input(prompt=""):
    line = _gpa_input(str(prompt), False)
    if line == "":
        raise EOFError("EOF when reading a line")
    return line[:-1] if line.endswith("\n") else line


class Value:
    """A value of gpa that has no counterpart in Python."""

    __slots__ = ("_handle", "__weakref__")

    def __init__(self, handle):
        object.__setattr__(self, "_handle", handle)

    def __getattr__(self, name):
        return _gpa_getattr(self._handle, name)

    def __setattr__(self, name, value):
        _gpa_setattr(self._handle, name, value)

    def __repr__(self):
        return _gpa_repr(self._handle)

    def __str__(self):
        return _gpa_str(self._handle)

    def __dir__(self):
        return _gpa_dir(self._handle)

    def __hash__(self):
        return _gpa_hash(self._handle)

    def __bool__(self):
        return _gpa_truth(self._handle)

    def __eq__(self, other):
        return _gpa_method(self._handle, "__eq__", (other,))

    def __ne__(self, other):
        return _gpa_method(self._handle, "__ne__", (other,))

    def __reduce__(self):
        raise TypeError(f"cannot pickle {self!r}: it is a value of gpa")


def _special(name):
    def method(self, *args):
        return _gpa_method(self._handle, name, args)

    method.__name__ = name
    return method


def _call(self, *args, **named):
    return _gpa_call(self._handle, args, named)


def _iterate(self):
    return _gpa_iter(self._handle)


def _advance(self):
    done, item = _gpa_next(self._handle)
    if done:
        raise StopIteration
    return item


def _signature(self):
    """inspect.signature of a function of gpa."""
    from inspect import Parameter, Signature

    kinds = (
        Parameter.POSITIONAL_ONLY,
        Parameter.POSITIONAL_OR_KEYWORD,
        Parameter.VAR_POSITIONAL,
        Parameter.KEYWORD_ONLY,
        Parameter.VAR_KEYWORD,
    )
    return Signature(
        Parameter(name, kinds[kind], default=default[0] if default else Parameter.empty)
        for name, kind, *default in _gpa_parameters(self._handle)
    )


_members = {
    "__call__": _call,
    "__iter__": _iterate,
    "__next__": _advance,
}
_types = {}


def _stand_in(handle, special):
    """The stand-in of a value with these special methods, whose type has exactly them."""
    made = _types.get(special)
    if made is None:
        body = {"__slots__": (), "__module__": "gpa"}
        for name in special:
            body[name] = _members.get(name) or _special(name)
        if "__call__" in special:
            body["__signature__"] = property(_signature)
        made = _types[special] = type("Function" if "__call__" in special else "Value", (Value,), body)
    return made(handle)


_by_value = (int, float, complex, str, bytes, tuple)


def _keep_identity(members, given):
    """Attributes that are equal to arguments become these objects, as scikit-learn's clone() expects after __init__."""
    for name, value in members.items():
        for arg in given:
            if type(arg) is type(value) and isinstance(arg, _by_value) and repr(arg) == repr(value):
                members[name] = arg


def _method(function):
    """A function of Python, which binds to instances, that calls one of gpa."""
    is_init = function.__name__ == "__init__"

    def method(*args, **named):
        result = function(*args, **named)
        if is_init and args and hasattr(args[0], "__dict__"):
            _keep_identity(vars(args[0]), (*args[1:], *named.values()))
        return result

    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    method.__wrapped__ = function  # for inspect.signature
    return method


def _member(kind, parts):
    wrapped = [_method(part) if hasattr(type(part), "__signature__") else part for part in parts]
    makers = {"static": staticmethod, "class": classmethod, "property": property}
    return makers[kind](*wrapped) if kind in makers else wrapped[0] if kind == "function" else parts[0]


def _derive(name, bases, members):
    """The class of a class statement of gpa with bases of Python."""

    def fill(namespace):
        namespace["__module__"] = "__main__"
        for key, (kind, parts) in members.items():
            namespace[key] = _member(kind, parts)

    return types.new_class(name, bases, exec_body=fill)


_super = super


def _enter(action, *args):
    """Runs what a statement of gpa does in Python, from two frames, as libraries that look at their callers expect."""
    return action(*args)


def _apply(function, args, named):
    return function(*args, **named)


def _store(container, key, item):
    container[key] = item


def _has(name):
    """Whether there is a top-level module of this name."""
    import importlib.util

    return importlib.util.find_spec(name) is not None


def _describe(error):
    """(name of the type, message, names of built-in bases, report, whether the message is made of args alone)."""
    import traceback

    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    bases = [base.__name__ for base in kind.__mro__ if base.__module__ == "builtins"]
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != "<gpa bridge>" and not frame.filename.startswith("<frozen importlib")
    ]
    plain = kind.__str__ in (BaseException.__str__, KeyError.__str__)
    return name, str(error), bases, "".join(traceback.format_list(frames)), plain


def _exception(names, message, args):
    """An instance of the first built-in exception type among the names."""
    import builtins

    for name in names:
        kind = getattr(builtins, name, None)
        if isinstance(kind, type) and issubclass(kind, BaseException):
            try:
                return kind(*args)
            except TypeError:
                return RuntimeError(message)
    return RuntimeError(message)


def _inspect(value):
    """(signature without the name, name of the type, file, source) of an object; "" for what is unknown."""
    import inspect

    def known(fact, of):
        try:
            return str(fact(of) or "").rstrip("\n")
        except (TypeError, ValueError, OSError, AttributeError):
            return ""

    has_source = isinstance(value, (type, types.ModuleType)) or inspect.isroutine(value)
    return (
        known(inspect.signature, value) if callable(value) else "",
        type(value).__name__,
        known(inspect.getsourcefile, value if has_source else type(value)),
        known(inspect.getsource, value) if has_source else "",
    )


def _exported(module):
    """The names that `from module import *` binds."""
    names = getattr(module, "__all__", None)
    return [n for n in dir(module) if not n.startswith("_")] if names is None else list(names)


def _run(text, names):
    """Runs a cell of %%python; its last expression is displayed as at Python's prompt."""
    import ast

    tree = ast.parse(text, "<cell>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None


_profilers = []


def _profile():
    """%prun: begins to profile functions of Python."""
    import cProfile
    import pstats  # not at the end: it would be profiled

    _profilers.append(cProfile.Profile())
    _profilers[-1].enable()


def _end_profile(order):
    """The end of that: the table of pstats, without the functions of this module."""
    if not _profilers:
        return ""
    _profilers[-1].disable()
    import pstats

    out = io.StringIO()
    stats = pstats.Stats(_profilers.pop(), stream=out)
    own = [key for key in stats.stats if key[0] == "<gpa bridge>" or "_gpa_" in key[2] or "_lsprof" in key[2]]
    for key in own:
        calls, own_calls, time, *_ = stats.stats.pop(key)
        stats.total_calls -= own_calls
        stats.prim_calls -= calls
        stats.total_tt -= time
    if not stats.stats:
        return ""
    stats.strip_dirs().sort_stats({"calls": "calls"}.get(order, "tottime")).print_stats(30)
    lines = [line for line in out.getvalue().splitlines() if line.strip()]
    return "Functions of Python: " + "\n".join(line[1:] if k else line.strip() for k, line in enumerate(lines)) + "\n"


def _extend_path(folders):
    """Adds the folders of gpa's sys.path."""
    sys.path.extend(folder for folder in folders if folder not in sys.path)


def _import(name):
    """An attribute of the module `python`: CPython's module of that name."""
    import importlib

    if name.startswith("__"):
        raise AttributeError(name)
    return importlib.import_module(name)


def _finish():
    """At the end of the program, as CPython ends: waits for threads that are no daemons, then runs the functions of atexit."""
    import atexit
    import threading

    try:
        threading._shutdown()
    finally:
        atexit._run_exitfuncs()


class _AfterImport:
    """Runs notebook.py when a library for notebooks is imported."""

    def find_spec(self, name, path=None, target=None):
        action = _after_import.pop(name, None)  # the search below comes here again
        if action is None:
            return None
        import importlib.util

        try:
            spec = importlib.util.find_spec(name)
        finally:
            _after_import[name] = action
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_then(module):
                execute(module)
                if _after_import.pop(name, None):
                    _notebook()[action](module)

            spec.loader.exec_module = execute_then
        return spec


_after_import = {"comm": "connect_comms", "getpass": "replace_getpass", "IPython": "make_shell"}
_notebook_names = {}


def _notebook():
    """The names of notebook.py, run at the first call."""
    if not _notebook_names:
        _notebook_names.update(globals())
        exec(compile(_notebook_text, "<gpa bridge>", "exec"), _notebook_names)
    return _notebook_names


def _comm_message(kind, content, metadata, buffers):
    """Delivers a message of a comm; False if no library uses comms."""
    return "comm" in sys.modules and _notebook()["deliver"](kind, content, metadata, buffers)


def _position():
    """Where the session's thread is in Python; None in Thread.start(), which waits for the thread's first step only."""
    import threading

    caller = frame = sys._current_frames().get(_session_thread)
    while caller is not None and caller.f_code.co_filename == threading.__file__:
        if caller.f_code is threading.Thread.start.__code__:
            return None
        caller = caller.f_back
    return frame and (id(frame), frame.f_lasti)


def _on_requests(number, frame):
    """Calls of other threads wait, and this thread seemed to wait, too."""
    _gpa_run_requests((id(frame), frame.f_lasti))


def _start(main_file, mime_methods):
    """At the end of loading. mime_methods: names of methods by MIME types."""
    global _session_thread, _mime_methods
    import _thread
    import builtins
    import signal

    python = types.ModuleType("python", "Modules of CPython, also those that gpa has itself: python.math.")
    python.__getattr__ = _import
    sys.modules.setdefault("python", python)

    _install_backend()
    sys.meta_path.insert(0, _AfterImport())

    sys.stdout, sys.stderr, sys.stdin = Stream(1), Stream(2), Input()
    builtins.input = _input
    sys.argv = [main_file]
    _mime_methods = mime_methods
    if "" not in sys.path:
        sys.path.insert(0, "")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _session_thread = _thread.get_ident()
    signal.signal(signal.SIGURG, _on_requests)
