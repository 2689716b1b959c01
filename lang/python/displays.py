"""Displays of Python's values: figures of matplotlib, representations by MIME types.

A part of bootstrap.py: runs after it, in the same module.
"""
import io
import os
import sys
import types

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


def _install_backend():
    _figures.__getattr__ = _backend_member
    sys.modules[_figures.__name__] = sys.modules["gpa_figures"] = _figures
    if os.environ.get("MPLBACKEND", "inline").endswith("inline"):  # of this or another kernel
        os.environ["MPLBACKEND"] = _backend


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


def _mime_data(mime, data):
    """The data of a representation as str, or as bytes if a front end gets it in base64."""
    if mime.endswith("json") and not isinstance(data, str):
        return _notebook()["to_json"](data)
    if isinstance(data, str) and (mime == "application/pdf" or mime.startswith("image/") and not mime.endswith("+xml")):
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
    for mime, name in _mime_methods.items():
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
