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

from airmile._analyze import analyze
from airmile._errors import AirmileError, InputError, OutputError, UsageError
from airmile.alignment import Alignment, align
from airmile.dataset import Dataset, open
from airmile.verdict import FlowVerdict, TransferVerdict, Verdict

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
