"""airmile finds what limits TCP over a cellular link, from packet captures.

Read :func:`analyze` first: it makes a :class:`Dataset` of a capture. The dataset's
:attr:`~Dataset.verdict` says whether the link is the bottleneck, and if not, what is.

Examples
--------
>>> import airmile
>>> dataset = airmile.analyze(capture, out=scratch / "example.airmile")
>>> dataset.verdict.limited_by
'lte_downlink'
>>> dataset.sql("SELECT count(*) AS flows FROM flows").to_pydict()
{'flows': [1]}
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
"""False at run time: importing `typing` would delay the moment from which Ctrl-C is handled."""

if TYPE_CHECKING:
    from typing import Any

    from airmile import model as model
    from airmile import study as study
    from airmile._errors import AirmileError, InputError, OutputError, UsageError
    from airmile.answers.radio.findings import RadioUser
    from airmile.answers.verdict._judge import FlowVerdict, TransferVerdict
    from airmile.comparison._compare import compare
    from airmile.comparison.result import Comparison
    from airmile.dataset import Dataset, open
    from airmile.printed import Alignment, Radio, Verdict
    from airmile.verbs._align import align
    from airmile.verbs._analyze import analyze
    from airmile.verbs._radio import radio

    __version__: str

__all__ = [
    "AirmileError",
    "Alignment",
    "Comparison",
    "Dataset",
    "FlowVerdict",
    "InputError",
    "OutputError",
    "Radio",
    "RadioUser",
    "TransferVerdict",
    "UsageError",
    "Verdict",
    "align",
    "analyze",
    "compare",
    "model",
    "open",
    "radio",
    "study",
]

_HOMES = {
    "verbs._analyze": ("analyze",),
    "_errors": ("AirmileError", "InputError", "OutputError", "UsageError"),
    "verbs._radio": ("radio",),
    "answers.radio.findings": ("RadioUser",),
    "verbs._align": ("align",),
    "comparison._compare": ("compare",),
    "comparison.result": ("Comparison",),
    "dataset": ("Dataset", "open"),
    "printed": ("Alignment", "Radio", "Verdict"),
    "answers.verdict._judge": ("FlowVerdict", "TransferVerdict"),
}
"""The modules, each with the public names that it defines."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, because a subcommand needs few of them."""
    if name == "_engine":
        return import_module("airmile._loading").engine()
    if name in ("model", "study"):
        return import_module(f"airmile.{name}")
    if name in _HOME_OF:
        found = getattr(import_module(f"airmile.{_HOME_OF[name]}"), name)
    elif name == "__version__":
        from importlib.metadata import version

        found = version("airmile")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
