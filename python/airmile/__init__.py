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

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from airmile._analyze import analyze
from airmile._errors import AirmileError, InputError, OutputError, UsageError
from airmile.dataset import Dataset, open
from airmile.verdict import FlowVerdict, TransferVerdict, Verdict

if TYPE_CHECKING:
    from airmile.alignment import Alignment, align

__version__ = version("airmile")

__all__ = [
    "AirmileError",
    "Alignment",
    "Dataset",
    "FlowVerdict",
    "InputError",
    "OutputError",
    "TransferVerdict",
    "UsageError",
    "Verdict",
    "align",
    "analyze",
    "open",
]


def __getattr__(name: str) -> Any:
    # What brings numpy and pyarrow along is imported when it is asked for: 50 MB beside the engine.
    if name in ("Alignment", "align"):
        from airmile import alignment

        return getattr(alignment, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
