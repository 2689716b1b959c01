"""The Python side of gpa's bridge: streams, and stand-ins for values of gpa in Python.

Runs once when the interpreter is loaded, in the module `gpa`. The functions named `_gpa_*` are gpa's, and come
with the module's names: they take the handle of a value (a capsule) first.
"""
import io
import os
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


class Array(Value):
    """An array of gpa that NumPy cannot use: on a GPU, or of dtype bfloat16; any array where Python has no NumPy.

    Its memory is shared with GPU libraries by __cuda_array_interface__ and DLPack. NumPy gets a copy.
    """

    __slots__ = ()
    __array_priority__ = 1000.0  # NumPy's operators leave the operation to this class.
    __hash__ = None

    def __getattr__(self, name):
        if name.startswith("__array_"):  # NumPy's other protocols: it cannot use the memory
            raise AttributeError(name)
        return _gpa_getattr(self._handle, name)

    @property
    def __cuda_array_interface__(self):
        address, gpu, typestr, readonly = _gpa_memory(self._handle)
        if gpu < 0 or typestr is None:
            raise AttributeError("__cuda_array_interface__")
        return {
            "data": (address if self.size else 0, readonly),
            "typestr": typestr,
            "shape": self.shape,
            "strides": self.strides,
            "stream": None,  # The bridge waits for gpa's work before Python runs.
            "version": 3,
        }

    def __dlpack_device__(self):
        gpu = _gpa_memory(self._handle)[1]
        return (1, 0) if gpu < 0 else (2, gpu)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            if tuple(dl_device) != (1, 0):
                raise BufferError(f"unsupported device requested: {tuple(dl_device)}")
            if copy is False:
                raise ValueError("the array must be copied to the host")
            return self.__array__().__dlpack__(max_version=max_version)
        versioned = max_version is not None and max_version[0] >= 1
        if copy:
            return self.copy().__dlpack__(max_version=max_version)
        if not versioned and not self.flags.writeable:
            raise BufferError("Cannot export readonly array since signalling readonly is unsupported by DLPack.")
        return _gpa_dlpack(self._handle, versioned)

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        if _gpa_memory(self._handle)[2] is None:
            elements = _gpa_host(self._handle).view(_bfloat16())
        else:
            elements = _gpa_host(self._handle)
        return elements if dtype is None else elements.astype(dtype, copy=False)

    def __arrow_c_array__(self, requested_schema=None):
        import pyarrow

        return pyarrow.array(self.__array__()).__arrow_c_array__(requested_schema)

    def __arrow_c_device_array__(self, requested_schema=None, **named):
        if self.ndim != 1:
            raise ValueError(f"Arrow's columns have one dimension, not {self.ndim}")
        contiguous = self if self.flags.c_contiguous else self.copy()
        return _gpa_arrow(contiguous._handle)

    def __reduce__(self):
        return self.__array__().__reduce__()


def _bfloat16():
    """The dtype bfloat16 of ml_dtypes, which JAX uses."""
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError("NumPy has no bfloat16: pass a.astype(float32) to Python, or install ml_dtypes") from None
    return ml_dtypes.bfloat16


def _binary(name):
    """An operator of Array, with numbers, sequences and arrays of NumPy and gpa; others, such as Series, reflect it."""

    def method(self, other):
        if isinstance(other, (int, float, complex, list, tuple, Value)) or type(other).__module__ == "numpy":
            return _gpa_method(self._handle, name, (other,))
        return NotImplemented

    method.__name__ = name
    return method


for _name in "len getitem setitem contains bool float int complex index neg pos invert abs".split():
    setattr(Array, f"__{_name}__", _special(f"__{_name}__"))
for _name in "eq ne lt le gt ge".split():
    setattr(Array, f"__{_name}__", _binary(f"__{_name}__"))
for _name in "add sub mul truediv floordiv mod pow divmod and or xor lshift rshift matmul".split():
    for _prefix in ("", "r") + ("i",) * (_name != "divmod"):
        setattr(Array, f"__{_prefix}{_name}__", _binary(f"__{_prefix}{_name}__"))
Array.__iter__ = _iterate
_array_stand_in = Array


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


class Memory:
    """The elements of an array of gpa in host memory, for numpy.asarray."""

    __slots__ = ("_handle", "__array_interface__", "__weakref__")

    def __init__(self, handle, interface):
        self._handle = handle
        self.__array_interface__ = interface


def _array(handle, address, typestr, shape, strides, readonly):
    interface = {"data": (address, readonly), "typestr": typestr, "shape": shape, "strides": strides, "version": 3}
    try:
        import numpy
    except ImportError:
        return handle
    return numpy.asarray(Memory(handle, interface))


def _numpy_scalar(dtype, value):
    """A NumPy scalar if the program has loaded NumPy, else Python's number."""
    numpy = sys.modules.get("numpy")
    return value if numpy is None else numpy.dtype(dtype).type(value)


def _numpy_type(name):
    import numpy

    return numpy.dtype(name)


def _array_facts(value):
    """(address, read-only, type, shape, strides, owner, -1) of a NumPy array; None for other values."""
    numpy = sys.modules.get("numpy")
    if numpy is None or type(value) is not numpy.ndarray:
        return None
    if value.dtype.byteorder == ">":
        value = value.astype(value.dtype.newbyteorder("="))
    facts = value.__array_interface__
    typestr = "bfloat16" if value.dtype.name == "bfloat16" else facts["typestr"]
    return facts["data"][0], facts["data"][1], typestr, value.shape, value.strides, value, -1


def _cuda_facts(value, facts):
    """The same of memory of a GPU, by its number, from __cuda_array_interface__."""
    device = getattr(value, "__dlpack_device__", None)
    gpu = device()[1] if device else getattr(getattr(value, "gpu_data", None), "device_number", 0)
    shape, strides, width = tuple(facts["shape"]), facts.get("strides"), int(facts["typestr"][2:])
    if strides is None:
        strides, step = [], width
        for extent in reversed(shape):
            strides.insert(0, step)
            step *= extent
    address, readonly = facts["data"]
    return address or 0, readonly, facts["typestr"], shape, tuple(strides), value, gpu


def _capsule(value):
    """A DLPack capsule of the value, versioned if it knows that."""
    try:
        return value.__dlpack__(max_version=(1, 0))
    except TypeError:
        return value.__dlpack__()


def _scalar_facts(value):
    """(name of the dtype, Python's number) of a NumPy scalar; None for other values."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, (numpy.number, numpy.bool_)):
        return None
    return value.dtype.name, value.item()


def _as_array(value):
    """The elements of a value with an array protocol: NumPy's array; a capsule of DLPack; facts as _array_facts."""
    device = getattr(value, "__dlpack_device__", None)
    if device is not None and device()[0] in (2, 13):
        return _capsule(value)
    facts = getattr(value, "__cuda_array_interface__", None)
    if facts is not None:
        return _cuda_facts(value, facts)
    import numpy

    try:
        array = numpy.asarray(value)
    except TypeError:  # bfloat16 of PyTorch
        if device is None:
            raise
        return _capsule(value)
    return array if array.dtype != object or device is None else numpy.from_dlpack(value)


def _has(name):
    """Whether there is a top-level module of this name."""
    import importlib.util

    return importlib.util.find_spec(name) is not None


_figures = types.ModuleType("matplotlib_inline.backend_inline", "The backend that displays matplotlib's figures in gpa.")


def _show_figures(*args, **named):
    """matplotlib.pyplot.show: displays the open figures and closes them; kept open, those that have changed."""
    from matplotlib import pyplot
    from matplotlib._pylab_helpers import Gcf

    managers, closes = Gcf.get_all_fig_managers(), _gpa_figure_setting(_CLOSE) != "False"
    try:
        for manager in managers:
            if closes or manager.canvas.figure.stale:
                _gpa_display(manager.canvas.figure, None, False)
                manager.canvas.figure.stale = False
    finally:
        if managers and closes:
            pyplot.close("all")


def _flush_figures():
    """At the end of a cell: shows the figures, if this module's backend draws them."""
    matplotlib = sys.modules.get("matplotlib")
    if "matplotlib.pyplot" in sys.modules and matplotlib.get_backend().lower() == _backend:
        _show_figures()


# The name by which libraries know inline figures; matplotlib accepts it only where that package is installed.
_backend = f"module://{_figures.__name__ if _has('matplotlib_inline') else 'gpa_figures'}"
_FORMAT, _OPTIONS, _CLOSE = 0, 1, 2  # as enum figure_setting


def _use_backend(name):
    """%matplotlib: "inline" is this module's backend."""
    os.environ["MPLBACKEND"] = name = _backend if name == "inline" else name
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib"].use(name)


def _backend_member(name):
    """The attributes of the backend, defined when matplotlib first asks for one of them."""
    if name not in ("FigureCanvas", "FigureManager", "show", "flush_figures"):
        raise AttributeError(name)
    from matplotlib.backend_bases import FigureManagerBase
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    names = vars(_figures)
    names.update(
        FigureCanvas=FigureCanvasAgg, FigureManager=FigureManagerBase, show=_show_figures, flush_figures=_show_figures
    )
    return names[name]


_formats = {
    "png": ("image/png", "png", 1),
    "retina": ("image/png", "png", 2),
    "png2x": ("image/png", "png", 2),
    "jpeg": ("image/jpeg", "jpeg", 1),
    "jpg": ("image/jpeg", "jpeg", 1),
    "svg": ("image/svg+xml", "svg", 1),
    "pdf": ("application/pdf", "pdf", 1),
}


def _chosen_formats():
    import ast

    text = _gpa_figure_setting(_FORMAT) or "png"
    chosen = sorted(ast.literal_eval(text)) if text[0] in "{[(" else [text]
    unknown = [name for name in chosen if name not in _formats]
    if unknown:
        raise ValueError(f"supported formats are: {sorted(_formats)} not {unknown}")
    return chosen


def _picture(figure):
    """A figure of matplotlib as (MIME type, data, metadata), in the chosen formats, cut to what is drawn."""
    if not figure.axes and not figure.lines:
        return []
    import ast

    given, pictures = ast.literal_eval(_gpa_figure_setting(_OPTIONS) or "{}"), []
    for name in _chosen_formats():
        mime, kind, scale = _formats[name]
        data, options = io.BytesIO(), {
            "dpi": figure.dpi * scale,
            "facecolor": figure.get_facecolor(),
            "edgecolor": figure.get_edgecolor(),
            "bbox_inches": "tight",
            **given,
        }
        figure.canvas.print_figure(data, format=kind, **options)
        data, meta = data.getvalue(), None
        if scale != 1:
            width, height = (int.from_bytes(data[at : at + 4], "big") // scale for at in (16, 20))  # of IHDR
            meta = f'{{"width": {width}, "height": {height}}}'
        pictures.append((mime, data.decode() if kind == "svg" else data, meta))
    return pictures


_mime_methods = (
    ("text/html", "_repr_html_"),
    ("text/markdown", "_repr_markdown_"),
    ("image/svg+xml", "_repr_svg_"),
    ("image/png", "_repr_png_"),
    ("image/jpeg", "_repr_jpeg_"),
    ("text/latex", "_repr_latex_"),
    ("application/json", "_repr_json_"),
)


def _mime_data(mime, data):
    """The data of a representation as str, or as bytes if a front end gets it in base64."""
    if mime.endswith("json") and not isinstance(data, str):
        return _notebook()["to_json"](data)
    if isinstance(data, str) and mime.startswith("image/") and not mime.endswith("+xml"):
        import base64

        return base64.b64decode(data)
    return data


def _mimes(value):
    """The representations of a value besides text: a list of (MIME type, str or bytes, metadata as JSON or None).

    None: the value has displayed itself.
    """
    kind, found, about = type(value), {}, {}
    if isinstance(value, type):
        return []
    if hasattr(kind, "_ipython_display_"):
        value._ipython_display_()
        return None
    figures = sys.modules.get("matplotlib.figure")
    if figures and isinstance(value, figures.Figure):
        return _picture(value)
    if hasattr(kind, "_repr_mimebundle_"):
        bundle = value._repr_mimebundle_(include=None, exclude=None)
        if isinstance(bundle, tuple):
            bundle, about = bundle[0], dict(bundle[1] or {})
        found.update(bundle or {})
    for mime, name in _mime_methods:
        if mime not in found and hasattr(kind, name):
            data = getattr(value, name)()
            if isinstance(data, tuple):
                data, about[mime] = data[0], data[1]
            if data is not None:
                found[mime] = data
    found.pop("text/plain", None)
    return [
        (mime, text, _notebook()["to_json"](about[mime]) if about.get(mime) else None)
        for mime, text in ((mime, _mime_data(mime, data)) for mime, data in found.items())
        if isinstance(text, (str, bytes))
    ]


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


def _start(main_file):
    global _session_thread
    import _thread
    import builtins
    import signal

    python = types.ModuleType("python", "Modules of CPython, also those that gpa has itself: python.math.")
    python.__getattr__ = _import
    sys.modules.setdefault("python", python)

    _figures.__getattr__ = _backend_member
    sys.modules[_figures.__name__] = sys.modules["gpa_figures"] = _figures
    if os.environ.get("MPLBACKEND", "inline").endswith("inline"):  # of this or another kernel
        os.environ["MPLBACKEND"] = _backend
    sys.meta_path.insert(0, _AfterImport())

    sys.stdout, sys.stderr, sys.stdin = Stream(1), Stream(2), Input()
    builtins.input = _input
    sys.argv = [main_file]
    if "" not in sys.path:
        sys.path.insert(0, "")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _session_thread = _thread.get_ident()
    signal.signal(signal.SIGURG, _on_requests)
