"""Analysis of modem logs: their tables, and whether the downlink was the bottleneck."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from airmile import _arguments
from airmile._errors import UsageError, engine_errors
from airmile.dataset import Dataset
from airmile.store import _manifest, _place
from airmile.store._settings import Settings, settings
from airmile.verbs import _rrc
from airmile.verbs._analyze import (
    Source,
    Vantage,
    analyze,
    default_out,
    listed,
)

if TYPE_CHECKING:
    from airmile._engine import Option, Progress

Prbs = int | str | Iterable[int | str] | Mapping[int, int]


def radio(
    *logs: Source,
    capture: Source | Iterable[Source] = (),
    out: Source | None = None,
    overwrite: bool = False,
    cell_prbs: Prbs = (),
    compat: Literal["online"] | None = None,
    threads: int = 0,
    vantage: Vantage = "auto",
    ue_net: Iterable[str] = (),
    set: Settings = (),
    progress: Progress | None = None,
) -> Dataset:
    """Read the logs of a modem and say whether the downlink was the bottleneck.

    Parameters
    ----------
    *logs : str or path
        Logs of one phone: Qualcomm DIAG, MobileInsight, QCAT, a sniffer's table and others, plain,
        gzip or zstd, or ``"-"`` for standard input.
    capture : str, path or several, optional
        Captures of the same phone at the same time; `verdict` then combines log and capture.
    out : str or path, optional
        Directory to write; by default the first log's name with ``.airmile``, in the current
        directory.
    overwrite : bool
        Replace a dataset that is already there, once the new one is complete; what is partial goes
        to ``NAME.partial.airmile``, as with :func:`airmile.analyze`.
    cell_prbs : int, str, mapping or iterable of them
        Number of PRBs of the cells, if the log does not contain it: ``50``, by physical cell
        identity ``{301: 100}``, or as on the command line, ``["50", "301:100"]``.
    compat : {"online"}, optional
        Also find bursts as the published program of Balasingam et al. (2019) does, including its
        deviations from the paper.
    threads : int
        Worker threads for the capture; 0 means all cores.
    vantage : {"auto", "ue", "monitor", "server"}
        Where the capture was taken.
    ue_net : iterable of str
        Networks of the phones in the capture, as ``"10.0.0.0/8"``.
    set : mapping or iterable of str
        Single thresholds by name, as ``{"bursts.start_ratio": 0.8}``.
    progress : callable, optional
        Called a few times a second with the bytes done, the total bytes (None: unknown), and the
        packets so far.

    Returns
    -------
    Dataset
        The tables `ttis`, `bursts`, `cells`, `handovers` and `buffer_status`. The attribute `radio`
        is the answer computed from them. With a capture, also everything of
        :func:`airmile.analyze`.

    Raises
    ------
    UsageError
        An option is wrong, or `out` exists and `overwrite` is false.
    InputError
        Nothing of the input could be read, or a number is out of its range.
    OutputError
        The dataset could not be written.

    Examples
    --------
    >>> import airmile
    >>> dataset = airmile.radio(modem, out=scratch / "modem.airmile")
    >>> round(dataset.radio.users[0].busy_ratio, 1)
    1.0
    """
    if not logs:
        raise UsageError("no log given", "name a file, or - for standard input")
    inputs, captures = ([os.fspath(each) for each in listed(given)] for given in (logs, capture))
    if "-" in inputs and "-" in captures:
        raise UsageError("standard input can be read only once", "name a file for the other")
    _arguments.threads(threads)
    target = Path(out) if out is not None else default_out(inputs[0])
    _place.check(target, overwrite=overwrite, captures=captures, logs=inputs)
    if captures:
        return analyze(
            *captures,
            modem=inputs,
            out=target,
            overwrite=overwrite,
            cell_prbs=prbs(cell_prbs),
            compat=compat,
            threads=threads,
            vantage=vantage,
            ue_net=ue_net,
            set=set,
            progress=progress,
        )
    options: dict[str, Option] = {
        "cell_prbs": prbs(cell_prbs),
        "compat_online": compat == "online",
        "set": settings(set),
    }
    from airmile import _engine

    with engine_errors():
        place = _engine.radio(
            inputs, str(target), overwrite, options, progress, _rrc.decoder(), _manifest.fault
        )
    return Dataset(_place.named(target, place), threads=threads)


def prbs(given: Prbs) -> list[str]:
    """Return numbers of PRBs in the form that the engine reads.

    >>> prbs(50), prbs({301: 100}), prbs([50, "301:100"]), prbs(())
    (['50'], ['301:100'], ['50', '301:100'], [])
    """
    if isinstance(given, Mapping):
        return [f"{cell}:{number}" for cell, number in given.items()]
    return [str(each) for each in listed(given)]
