"""What stands for names of NumPy's that are private, or that gpa lacks, in the common subset of Python and gpa."""

import numpy as np


class MissingName(Exception):
    """A test used a name that does not exist here."""


class Missing:
    """A name that does not exist: harmless in a list of parameters, an error when a running test uses it."""

    running = [False]

    def __init__(self, name):
        self.full_name, self.__name__ = name, name.split(".")[-1]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "dtype" and Missing.running[0]:  # asked for by what takes a dtype
            raise MissingName(self.full_name)
        return Missing(self.full_name + "." + name)

    def __call__(self, *args, **kwargs):
        if Missing.running[0]:
            raise MissingName(self.full_name)
        return self

    def __enter__(self):
        raise MissingName(self.full_name)

    def __exit__(self, *error):
        return False

    def __iter__(self):
        raise MissingName(self.full_name)

    def __repr__(self):
        return "Missing(" + self.full_name + ")"


def attribute(module, name, full_name):
    """An attribute of a module, or a placeholder."""
    return getattr(module, name) if hasattr(module, name) else Missing(full_name)


PUBLIC = ("", "linalg", "lib", "exceptions", "polynomial", "testing", "lib.stride_tricks", "lib.array_utils")


def public(name, full_name):
    """What a private module of NumPy's holds under a name that is public elsewhere, or a placeholder."""
    for path in PUBLIC:
        module = np
        for part in path.split(".") if path else []:
            module = getattr(module, part, None)
        if hasattr(module, name):
            return getattr(module, name)
    return Missing(full_name)


def typecodes(kind):
    """np.typecodes[kind] without long double, objects, strings, dates and records."""
    return "".join([code for code in np.typecodes[kind] if code not in "gGOSUVMm"])


def values_of(module):
    """The public values of a module."""
    return [getattr(module, name) for name in dir(module) if not name.startswith("_")]


def to_bytes(text):
    return text.encode("latin1") if isinstance(text, str) else text


sctypes = {
    "int": [np.int8, np.int16, np.int32, np.int64],
    "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
    "float": [np.float16, np.float32, np.float64],
    "complex": [np.complex64, np.complex128],
    "others": [bool],
}
