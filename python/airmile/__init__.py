"""airmile finds what limits TCP over a cellular link, from packet captures.

Read :func:`analyze` first: it makes a :class:`Dataset` of a capture, and the dataset's
:attr:`~Dataset.verdict` answers whether the link is the bottleneck, and if not, what is.

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
from importlib.metadata import version
from typing import TYPE_CHECKING

from airmile._analyze import analyze
from airmile._errors import AirmileError, InputError, OutputError, UsageError
from airmile._radio import radio
from airmile._radio.findings import Radio, RadioUser
from airmile.alignment import Alignment, align
from airmile.dataset import Dataset, open
from airmile.verdict import FlowVerdict, TransferVerdict, Verdict

if TYPE_CHECKING:
    from types import ModuleType

    from airmile import model as model
    from airmile import study as study

__version__ = version("airmile")

__all__ = [
    "AirmileError",
    "Alignment",
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
    "model",
    "open",
    "radio",
    "study",
]


def __getattr__(name: str) -> ModuleType:
    """Import what needs numpy and pyarrow when it is first asked for: the verdict does not."""
    if name in ("model", "study"):
        return import_module(f"airmile.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
