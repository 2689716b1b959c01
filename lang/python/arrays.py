"""Arrays across the languages: gpa's in Python, and what gpa asks about arrays of Python.

A part of bootstrap.py: runs after it, in the same module.
"""
import sys


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


def _c_strides(shape, width):
    """Strides of elements of `width` bytes in C order."""
    strides = []
    for extent in reversed(shape):
        strides.insert(0, width)
        width *= extent
    return tuple(strides)


def _cuda_facts(value, facts):
    """The same of memory of a GPU, by its number, from __cuda_array_interface__."""
    device = getattr(value, "__dlpack_device__", None)
    gpu = device()[1] if device else getattr(getattr(value, "gpu_data", None), "device_number", 0)
    shape, strides, width = tuple(facts["shape"]), facts.get("strides"), int(facts["typestr"][2:])
    if strides is None:
        strides = _c_strides(shape, width)
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


_DELEGATED = frozenset(
    "all amax amin any argmax argmin argpartition argsort around choose clip compress cumprod cumsum max mean min nonzero prod ptp put"
    " repeat reshape round searchsorted squeeze std sum swapaxes take transpose var".split()
)


def _takes_over(value, function):
    """True if NumPy's function of this name has a meaning of its own for the value: its type overrides functions, derives from
    ndarray, or, of the functions that call the argument's method, has that method. Arrays of other libraries with DLPack are not
    such types."""
    numpy = sys.modules.get("numpy")
    kind = type(value)
    if hasattr(kind, "__cuda_array_interface__"):
        return False
    if numpy is not None and issubclass(kind, (numpy.ndarray, numpy.generic)):
        return kind not in (numpy.ndarray, numpy.memmap) and issubclass(kind, numpy.ndarray)
    if hasattr(kind, "__array_function__"):
        return True
    return function in _DELEGATED and not hasattr(kind, "__dlpack__") and hasattr(kind, "__array__") and hasattr(kind, function)


_TYPES = {"c": "|u1", "?": "|b1", "e": "<f2", "f": "<f4", "d": "<f8", "Zf": "<c8", "Zd": "<c16"}  # by format characters


def _buffer_facts(view):
    """Facts as _array_facts, of a memoryview; of a copy of its elements if these are read-only or not contiguous."""
    import ctypes

    code = view.format.lstrip("@=<")
    integer = f"{'|' if view.itemsize == 1 else '<'}{'i' if code.islower() else 'u'}{view.itemsize}"
    typestr = integer if code in "bBhHiIlLqQnN" else _TYPES[code]
    copied = view.readonly or not view.c_contiguous or not view.nbytes
    flat = bytearray(view.tobytes() or 1) if copied else view.cast("B")
    owner = (ctypes.c_char * len(flat)).from_buffer(flat)
    strides = _c_strides(view.shape, view.itemsize)
    return ctypes.addressof(owner), view.readonly, typestr, view.shape, strides, memoryview(owner), -1


def _as_array(value):
    """The elements of a value with an array protocol: NumPy's array; a capsule of DLPack; facts as _array_facts."""
    device = getattr(value, "__dlpack_device__", None)
    if device is not None and device()[0] in (2, 13):
        return _capsule(value)
    facts = getattr(value, "__cuda_array_interface__", None)
    if facts is not None:
        return _cuda_facts(value, facts)
    try:
        import numpy
    except ImportError:
        try:
            view = memoryview(value)
        except TypeError:
            pass
        else:
            return _buffer_facts(view)
        raise
    try:
        array = numpy.asarray(value)
    except TypeError:  # bfloat16 of PyTorch
        if device is None:
            raise
        return _capsule(value)
    return array if array.dtype != object or device is None else numpy.from_dlpack(value)
