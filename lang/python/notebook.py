"""What Python's libraries for notebooks find in gpa: comms, and IPython's shell.

Runs in a copy of bootstrap.py's names when a library first imports `comm` or `IPython`.
"""
import json
import os


# ---- JSON ----


def plain(value):
    """A value that JSON lacks, as one that it has."""
    import base64
    import numbers

    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, (set, frozenset, types.GeneratorType, map)):
        return list(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def finite(value):
    """The value with text in place of the numbers that JSON lacks."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return repr(value)
    return value


def to_json(value):
    try:
        return json.dumps(value, default=plain, allow_nan=False)
    except ValueError:
        return json.dumps(finite(value), default=plain)


# ---- comms ----


def parent():
    """The request that is being handled, with the members that libraries read."""
    header = _gpa_request()
    return {"header": json.loads(header) if header else {}, "parent_header": {}, "metadata": {}, "content": {}}


def connect_comms(module):
    """Replaces the comms of the package `comm`, as its documentation asks kernels to do."""
    if not _gpa_has_comms():
        return

    class Comm(module.BaseComm):
        """A connection to an object of the front end."""

        def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
            content = {"data": {} if data is None else data, "comm_id": self.comm_id, **keys}
            parts = tuple(bytes(memoryview(b).cast("B")) if memoryview(b).nbytes else b"" for b in buffers or ())
            _gpa_comm(msg_type, to_json(content), to_json(metadata or {}), parts)

    module.create_comm = Comm


def deliver(kind, content, metadata, buffers):
    """Hands a message of the front end to its comm."""
    manager = sys.modules["comm"].get_comm_manager()
    request = parent()
    request.update(
        content=json.loads(content), metadata=json.loads(metadata), buffers=[memoryview(b) for b in buffers]
    )
    getattr(manager, kind)(None, None, request)
    return True


# ---- input ----


def replace_getpass(module):
    """The front end asks for passwords: in a notebook not at the terminal of the server, at the prompt without the
    busy indicator over the question."""

    def getpass(prompt="Password: ", stream=None, *, echo_char=None):
        line = _gpa_input(str(prompt), True)
        if line == "":
            raise EOFError("EOF when reading a line")
        return line.rstrip("\n")

    if _gpa_has_comms() or os.isatty(0):
        module.getpass = getpass


# ---- IPython ----


class Bundle:
    """Data that is displayed as it is: MIME types with their representations."""

    def __init__(self, data, metadata):
        self._bundle = data, metadata or {}

    def __repr__(self):
        return self._bundle[0].get("text/plain", "")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self._bundle


class Publisher:
    """IPython's display publisher: outputs become gpa's."""

    is_publishing = False

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **named):
        _gpa_display(Bundle(data, metadata), (transient or {}).get("display_id"), bool(update))

    def clear_output(self, wait=False):
        _gpa_clear(bool(wait))


class Kernel:
    """The part of IPython's kernel that widgets read."""

    def get_parent(self, channel=None):
        return parent()

    @property
    def comm_manager(self):
        return sys.modules["comm"].get_comm_manager()


def make_shell(module):
    """IPython's shell, for libraries that ask for get_ipython(): its displays, events and errors are gpa's."""
    import __main__
    from IPython.core.events import EventManager, available_events
    from IPython.core.formatters import DisplayFormatter
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config, SingletonConfigurable

    has_comms = _gpa_has_comms()

    def init(self):
        SingletonConfigurable.__init__(self, config=Config({"IPKernelApp": {}} if has_comms else {}))
        self.events = EventManager(self, available_events)
        self.display_formatter = DisplayFormatter(parent=self)
        self.user_module, self.user_ns = __main__, vars(__main__)
        if has_comms:
            self.kernel = Kernel()

    def show_error(self, exc_tuple=None, *args, **named):
        error = (exc_tuple or sys.exc_info())[1]
        if error is not None:
            _gpa_report(error)

    members = {
        "__init__": init,
        "display_pub": Publisher(),
        "showtraceback": show_error,
        "get_parent": lambda self: parent(),
        "enable_gui": lambda self, gui=None: None,
        "run_line_magic": lambda self, name, line, _stack_depth=1: _gpa_magic(f"%{name} {line}"),
        "run_cell_magic": lambda self, name, line, cell: _gpa_magic(f"%%{name} {line}\n{cell}"),
        "system": lambda self, command: _gpa_magic("!" + command),
    }
    name, home = ("ZMQInteractiveShell", "ipykernel.zmqshell") if has_comms else ("TerminalInteractiveShell", "gpa")
    shell = type(name, (InteractiveShell,), {"__module__": home, **members})
    if has_comms and home not in sys.modules:  # libraries look there whether they run in a notebook
        sys.modules[home] = types.ModuleType(home, "IPython's shell in notebooks, here gpa's.")
        sys.modules[home].ZMQInteractiveShell = shell
    sys.modules["builtins"].get_ipython = shell.instance().get_ipython
