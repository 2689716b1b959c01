"""Which of NumPy's tests ask for what gpa leaves out, by the text of a test, the values of its parameters, or the words of an
error that names such a thing."""

import re

import numpy as np

# What is left out, and the text of a test (without its decorators) that asks for it.
OF_TEXT = {
    "records": r"np\.void\b|np\.rec\b|recarray|dtype\(\[|dtype=\[|dtype\(\{|dtype=\{|\.names\b|\.fields\b|['\"]V\d*['\"]|\bvoid\b"
    r"|np\.record|structured|['\"][ifuS]\d, ?|\[\(['\"]\w*['\"], ?(['\"a-z]|np\.)|names=|void",
    "objects": r"\bobject\b(?!\(\))|np\.object_|['\"]O['\"]|Decimal|Fraction|dtype\(object|['\"]\|?O8?['\"]",
    "strings": r"np\.str_|np\.bytes_|np\.char\b|np\.strings|StringDType|['\"][<|]?[SUa]\d*['\"]|dtype=str\b|dtype=bytes|astype\(str"
    r"|astype\(bytes|dtype\(str|np\.unicode|(array|asarray|full|sort|unique)\([\[\(]*b?['\"]|\bstr_\b|\bbytes_\b|np\.character"
    r"|np\.flexible|chararray|converters",
    "dates": r"datetime64|timedelta64|['\"][<>]?[mM]8?(\[\w+\])?['\"]|datetime|isnat|NaT|busday",
    "masked arrays": r"np\.ma\b|masked|MaskedArray|mask_rowcols",
    "matrix": r"np\.matrix\b|asmatrix|bmat|\bmatrix\(",
    "C and processes": r"ctypes|_multiarray_tests|_umath_tests|_rational_tests|rational|_testbuffer|subprocess|refcount|REFCOUNT"
    r"|[tT]hread|memmap|pickle|\bgc\.|weakref|getsizeof|mmap|memoryview|__array_interface__|__array_struct__|ncu_tests|\bumt\b"
    r"|_simd|__buffer__|run_threaded|check_support_sve|assert_no_gc_cycles|break_cycles",
    "subclasses": r"class \w+\((np\.)?ndarray\)|ndarray\.__new__|__array_finalize__|__new__|class \w+\(np\.(float|int|uint|complex|bool)",
    "byte order": r"newbyteorder|byteswap|['\"]>[a-zA-Z]|\bbyteorder|['\"][><=|][a-zA-Z]\d?['\"] for|swapped",
    "long double": r"longdouble|longfloat|float128|complex256|float96|['\"][gG]['\"]",
}

# The same in the text of what a test needs: its helpers, fixtures and the rest of its class.
OF_HELPERS = {
    "subclasses": r"class \w+\((np\.)?ndarray\)|class \w+\((np\.)?(float|int)(32|64)\)",
    "C and processes": r"_multiarray_tests|_umath_tests|_rational_tests|_struct_ufunc_tests|import ctypes|import subprocess|import threading"
    r"|import gc\b|import weakref|cffi|cython|import memmap|import pickle",
    "hypothesis": r"hypothesis|hynp",
}

# Tests that compare with the numbers of NumPy's generators.
RANDOM_STREAM = (
    r"desired|hashlib|md5|sha256|PCG64|Philox|SFC64|SeedSequence|bit_generator|BitGenerator|get_state|set_state|_legacy|jumped|\.state\b"
    r"|RandomState|random\.seed|sha|expected = np\.array|_bit_generator|spawn"
)
RANDOM_DATA = (
    "TestHistogramOptimBinNums.test_scott_vs_stone",
    "TestGradient.test_second_order_accurate",
    "TestDot.test_dotvecscalar",
    "TestDot.test_dotvecscalar2",
    "test_ragged_shuffle",
)

# Words of gpa's errors.
OF_ERROR = {
    "records": r"data type '[^']*,[^']*' not understood|data type '(\d+|\(.*\))[a-z]\d*' not understood"
    r"|Cannot interpret '[\[({]|'\(.*\)\w+' not understood|numpy\.void|attribute 'void'|'dtypes\.Void",
    "objects": r"data type '[|]?O' not understood|<class 'object'>' as a data type|an element of type '|list\.remove\(x\): x not in list"
    r"|numpy\.object_|attribute 'object_'|data type 'object' not understood|a value of type 'NoneType' has no dtype"
    r"|array cannot be made from a 'generator'|MissingName: (fractions|decimal)\.",
    "strings": r"data type '[<>|=]?[SUa]\d*' not understood|<class '(str|bytes)'>' as a data type"
    r"|a value of type '(str|bytes)' has no dtype|numpy\.(str_|bytes_|char|strings|character|flexible)"
    r"|attribute '(str_|bytes_|char|strings|character|flexible)'",
    "dates": r"data type '([<>|=]?[mM]8?|datetime64|timedelta64)(\[\w+\])?' not understood|numpy\.(datetime64|timedelta64)"
    r"|attribute '(datetime64|timedelta64|isnat|busday_count)'",
    "long double": r"data type '[<>|=]?[gG]' not understood|c?longdouble",
    "byte order": r"another order of bytes|data type '>\w+' not understood|byteswap|newbyteorder",
    "masked arrays": r"attribute 'ma'|numpy\.ma\b",
    "matrix": r"attribute '(matrix|asmatrix|bmat)'|MissingName: numpy\.(matrix|asmatrix|bmat)",
    "C and processes": r"MissingName: (ctypes|pickle|threading|gc|weakref|subprocess|memmap|mmap|concurrent|hypothesis)"
    r"|name 'memoryview' is not defined|getrefcount|__array_interface__|__array_struct__|'numpy\.memmap|attribute 'memmap'"
    r"|No module named '(pickle|ctypes)'",
    "subclasses": r"cannot derive from '(ndarray|numpy)|derive from '(ndarray|float64|int64)'",
    "private names": r"MissingName: numpy\.(_|(lib|testing|linalg|random)\._|linalg\.lapack)"
    r"|attribute '(_core|_\w+_impl|_utils|_globals|_umath_linalg|lapack_lite|BUFSIZE|_NoValue|_loadtxt_chunksize|_exceptions"
    r"|_multiarray_umath|_arg|_lerp|_cseries_to_zseries|_zseries_to_cseries|_repr_latex_scalar|_warn_on_write|_vander_nd"
    r"|FLOATING_POINT_SUPPORT|_add_newdoc_ufunc|_resolve_dtypes_and_context|_get_strided_loop|_CopyMode|_ones_like)'",
}

# Strings that name a dtype, as values of parameters.
OF_STRING = {
    "objects": r"O",
    "long double": r"[gG]",
    "strings": r"[SUa]\d*|[<|]?[SU]\d+",
    "records": r"V\d*|[a-z]\d?(,[a-z]\d?)+",
    "dates": r"[<>]?[mM]8?(\[\w+\])?",
    "byte order": r">[a-zA-Z]\d*",
}
OF_KIND = {"O": "objects", "S": "strings", "U": "strings", "T": "strings", "m": "dates", "M": "dates", "V": "records"}


def matching(patterns, text):
    return {what for what, pattern in patterns.items() if re.search(pattern, text)}


def of_text(path, name, text, helpers):
    """What a test of a file asks for that is out of scope, by its own text and that of all that it needs."""
    found = matching(OF_TEXT, text + "\n" + name) | matching(OF_HELPERS, helpers)
    if path.startswith("random/") and re.search(RANDOM_STREAM, text) or name in RANDOM_DATA:
        found.add("random streams")
    if name.startswith("TestDot.") and re.search(r"create_data|self\.(A|[abc]\d)\b", text):
        found.add("random streams")
    return found


def of_error(text):
    """What an error of gpa's names that is out of scope: a helper or a parameter asked for it."""
    return matching(OF_ERROR, text)


def of_dtype(dtype):
    if dtype.char in "gG":
        return {"long double"}
    if dtype.char in "qQ":  # in gpa the same as int64 and uint64, so that lists of dtypes are shorter
        return {"long long"}
    if dtype.kind in OF_KIND:
        return {OF_KIND[dtype.kind]}
    return set() if dtype.isnative else {"byte order"}


def of_value(value, depth=0):
    """What the value of a parameter is that is out of scope."""
    if isinstance(value, np.dtype):
        return of_dtype(value)
    if value is object or value is str or value is bytes:
        return {"objects" if value is object else "strings"}
    if isinstance(value, type) and issubclass(value, np.generic):
        try:
            return of_dtype(np.dtype(value))
        except TypeError:  # an abstract class
            return set()
    if isinstance(value, np.matrix):
        return {"matrix"}
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        return {"subclasses"} | of_dtype(value.dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        return of_dtype(value.dtype)
    if isinstance(value, str):
        return {what for what, pattern in OF_STRING.items() if re.fullmatch(pattern, value)}
    if isinstance(value, (list, tuple, dict)) and depth < 3:
        items = list(value.values() if isinstance(value, dict) else value)
        return set().union(*(of_value(v, depth + 1) for v in items[:50]))
    return set()
