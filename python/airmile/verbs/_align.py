"""Two captures of the same traffic: how their clocks differ, and the delays between them.

The engine pairs the packets of both captures. `clocks` and `steps` find offset, drift and clocks
that were set; `delays` finds one-way delays and losses; `validation` compares the bandwidth
(methods E5). The result is an :class:`Alignment`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile import _arguments
from airmile._errors import UsageError
from airmile.printed import Alignment, printed
from airmile.store import _scratch
from airmile.verbs._analyze import Source, analyze

if TYPE_CHECKING:
    from airmile._engine import Progress
    from airmile.answers.pair.found import Found
    from airmile.answers.pair.validation import Compared
    from airmile.store import Tables

ELSEWHERE = {"monitor": "between the radio network and the servers", "server": "at the server"}
"""The words for capture points that do not show what arrived at the phone."""


def align(
    first: Source,
    second: Source,
    *,
    out: Source | None = None,
    overwrite: bool = False,
    ue_net: Iterable[str] = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> Alignment:
    """Compare two captures of the same traffic: clocks, delays and losses.

    Parameters
    ----------
    first : str or path
        Capture file, or a directory of capture files.
    second : str or path
        The other capture, taken at another place of the same path at the same time. The clocks
        need not agree.
    out : str or path, optional
        Directory for the tables `pairs`, `clock_steps`, `e5` and `e5_cdf`, which
        :func:`airmile.open` reads; by default no tables are written.
    overwrite : bool
        Replace a directory of such tables that already exists, once the new one is complete; what
        is partial goes to ``NAME.partial.airmile``, as with :func:`airmile.analyze`.
    ue_net : iterable of str
        Networks of the phones, such as ``"10.0.0.0/8"``.
    threads : int
        Worker threads for the estimate of bandwidth; 0 means all cores.
    progress : callable, optional
        Called a few times a second with the bytes done, the total bytes (None: unknown), and the
        packets so far; each pass over a capture counts from 0.

    Returns
    -------
    Alignment
        Offset, drift, delays and losses between the capture points, and the error of the bandwidth
        estimate of the farther capture; ``str`` gives the text of the command line.

    Raises
    ------
    UsageError
        An option is wrong, or `out` exists and `overwrite` is false.
    InputError
        A capture cannot be read, or the captures share no packet; or `threads` is out of its range.
    OutputError
        The tables could not be written.

    Examples
    --------
    >>> import airmile
    >>> found = airmile.align(phone, capture)
    >>> found.nearer, found.steps
    ('first', ())
    >>> abs(found.offset_ms) < found.offset_uncertainty_ms < 25
    True
    >>> found.downlink.lost
    0
    """
    threads = _arguments.threads(threads)
    captures = [os.fspath(first), os.fspath(second)]
    if "-" in captures:
        raise UsageError(
            "align reads captures twice, and standard input can be read only once",
            "keep it in a file: tcpdump -w FILE",
        )
    # Imported here because `analyze` does not need numpy and pyarrow.
    from airmile.answers.pair import write
    from airmile.answers.pair.found import find
    from airmile.answers.pair.summary import sum_up

    target = Path(out) if out is not None else None
    if target is not None:
        write.check(target, overwrite, captures)
    options: dict[str, Any] = {"ue_net": list(ue_net), "threads": threads}
    found = find(captures, options, progress)
    ended = [found.interrupted]
    compared = _compared(captures, found, options, progress, ended)
    summed = sum_up(captures, found, compared, target)
    alignment = printed(Alignment, replace(summed, interrupted=any(ended)))
    if target is not None:
        place = write.write(alignment, target, version("airmile"), overwrite=overwrite)
        return replace(alignment, path=place)
    return alignment


def _compared(
    captures: list[str],
    found: Found,
    options: dict[str, Any],
    progress: Progress | None,
    ended: list[bool],
) -> Compared:
    """Compare the bandwidth estimate of the farther capture with the nearer capture.

    Append to `ended` whether `progress` ended an analysis.
    """
    from airmile.answers.pair import validation

    if not found.clocks:
        return validation.none("the offset of the clocks is unknown")
    if found.nearer is None:
        return validation.none("which capture is nearer to the phone is unknown")
    near, far = (0, 1) if found.nearer == "first" else (1, 0)
    with _scratch.folder() as scratch:

        def analysed(which: int) -> Tables:
            out = scratch / f"{which}.airmile"
            dataset = analyze(captures[which], out=out, progress=progress, **options)
            ended.append(dataset.manifest["interrupted"])
            return dataset

        samples = validation.samples_of(analysed(far))
        if samples.num_rows == 0:
            return validation.none(f"no queue stood behind the capture point of {captures[far]}")
        vantage = analysed(near).manifest["vantage"]["value"]
    if vantage is None:
        return validation.none(
            f"where {captures[near]} was taken is unknown: only what arrives at the phone itself "
            "tests the estimate"
        )
    if vantage != "ue":
        return validation.none(
            f"{captures[near]} was taken {ELSEWHERE[vantage]}, not on the phone: what passes "
            "there has the radio link still before it"
        )
    return validation.compare(found.volumes[near], samples, found.clocks, found.nearer)
