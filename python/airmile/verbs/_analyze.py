"""Analysis of captures: options are checked, and the engine writes the dataset."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from airmile._errors import UsageError, engine_errors
from airmile.dataset import Dataset
from airmile.store import _place
from airmile.store._settings import Settings, settings
from airmile.verbs import _modem_formats, _rrc

if TYPE_CHECKING:
    from airmile._engine import Option

Vantage = Literal["auto", "ue", "monitor", "server"]
Progress = Callable[[int, int | None, int], None]
Source = str | os.PathLike[str]

_CAPTURES = (".gz", ".zst", ".pcap", ".pcapng", ".cap", ".dmp")


def analyze(
    *captures: Source,
    out: Source | None = None,
    overwrite: bool = False,
    threads: int = 0,
    memory: int | str | None = None,
    samples: bool = False,
    hash: bool = False,
    vantage: Vantage = "auto",
    ue_net: Iterable[str] = (),
    modem: Source | Iterable[Source] = (),
    cell_prbs: int | str | Iterable[int | str] = (),
    compat: Literal["online"] | None = None,
    profile: str | None = None,
    set: Settings = (),
    progress: Progress | None = None,
) -> Dataset:
    """Analyse captures and write their dataset.

    Parameters
    ----------
    *captures : str or path
        Capture files (pcap or pcapng, plain, gzip or zstd), directories of them, or ``"-"`` for
        standard input. Several are read as one, in time order.
    out : str or path, optional
        Directory to write; by default the first capture's name with ``.airmile``, in the current
        directory.
    overwrite : bool
        Replace a dataset that is already there.
    threads : int
        Worker threads; 0 means all cores. The result does not depend on it.
    memory : int or str, optional
        What live flows and phones may hold, in bytes or as ``"512M"``; 4 GiB by default. Beyond it
        those that have been silent for longest are ended, written and counted: the same ones on
        every machine, with any number of threads.
    samples : bool
        Also keep every RTT and bytes-in-flight sample (``rtt_samples``, ``in_flight_samples``).
    hash : bool
        Record a hash of each input in the manifest.
    vantage : {"auto", "ue", "monitor", "server"}
        Where the capture was taken; ``"auto"`` finds it by the handshakes.
    ue_net : iterable of str
        Networks of the phones, as ``"10.0.0.0/8"``.
    modem : str or path, or iterable of them
        Modem logs of the phone, in any format that airmile reads; they confirm or veto the queue
        before the radio, and give the tables ``ttis``, ``bursts``, ``cells``, ``handovers`` and
        ``buffer_status``. The captures are read twice then, so standard input cannot be one.
    cell_prbs : int or str, or iterable of them
        PRBs of the cells, as ``100``, or of one cell by its physical identity, as ``"279:100"``;
        where the log itself does not say it.
    compat : {"online"}, optional
        Also find bursts as the published program of Balasingam et al. (2019) does.
    profile : str, optional
        Thresholds of a paper, as ``"lte13"``.
    set : mapping or iterable of str
        Single thresholds by name, as ``{"bandwidth.min_send_bps": 30e6}``.
    progress : callable, optional
        Called a few times a second with the bytes done, the bytes in all (None: unknown), and
        the packets so far.

    Returns
    -------
    Dataset
        The tables and the verdict. After an interrupt it holds what was finished until then.

    Raises
    ------
    UsageError
        An option is wrong, or `out` exists and `overwrite` is false.
    InputError
        Nothing of the input could be read.
    OutputError
        The dataset could not be written.

    Examples
    --------
    >>> import airmile
    >>> dataset = airmile.analyze(capture, out=scratch / "phone.airmile", vantage="monitor")
    >>> dataset.verdict.limited_by
    'lte_downlink'
    """
    if not captures:
        raise UsageError("no capture given", "name a file, a directory, or - for standard input")
    inputs = [os.fspath(capture) for capture in captures]
    logs = [os.fspath(log) for log in listed(modem)]
    options: dict[str, Option] = {
        "threads": threads,
        "samples": samples,
        "hash": hash,
        "vantage": vantage,
        "ue_net": list(ue_net),
        "modem": logs,
        "cell_prbs": [str(prbs) for prbs in listed(cell_prbs)],
        "compat_online": compat == "online",
        "set": settings(set),
    }
    if memory is not None:
        options["memory"] = str(memory)
    if profile is not None:
        options["profile"] = profile
    target = Path(out) if out is not None else default_out(inputs[0])
    _place.check(target, overwrite=overwrite, captures=inputs, logs=logs)
    from airmile import _engine

    with engine_errors():
        _engine.analyze(inputs, str(target), overwrite, options, progress, _rrc.decoder())
    return Dataset(target, threads=threads)


def listed(given: Any) -> list[Any]:
    """Take one value for a list of one.

    >>> listed("a.qmdl"), listed([50, "279:100"]), listed(())
    (['a.qmdl'], [50, '279:100'], [])
    """
    alone = isinstance(given, str | os.PathLike) or not isinstance(given, Iterable)
    return [given] if alone else list(given)


def default_out(capture: str) -> Path:
    """Name the dataset of a capture: its name without extensions, in the current directory.

    >>> default_out("/data/run7.pcap.gz")
    PosixPath('run7.airmile')
    >>> default_out(".pcap")
    PosixPath('.pcap.airmile')
    >>> default_out("-")
    PosixPath('stdin.airmile')
    """
    if capture == "-":
        return Path("stdin.airmile")
    if any(sign in capture for sign in "*?[") and not Path(capture).exists():
        # Path.glob takes no absolute pattern.
        capture = min(glob.glob(capture), default="captures")  # noqa: PTH207
    name = Path(capture).resolve().name
    extensions = (*_CAPTURES, *_modem_formats.endings())
    while name.lower().endswith(extensions) and Path(name).suffix:
        name = Path(name).stem
    return Path(f"{name}.airmile")
