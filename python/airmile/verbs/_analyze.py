"""Analysis of captures: options are checked, and the engine writes the dataset."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from airmile import _arguments, _memory
from airmile._errors import UsageError, engine_errors
from airmile.dataset import Dataset
from airmile.store import _manifest, _place
from airmile.store._settings import Settings, settings
from airmile.verbs import _modem_formats, _rrc

if TYPE_CHECKING:
    from airmile._engine import Option, Progress

Vantage = Literal["auto", "ue", "monitor", "server"]
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
        Replace a dataset that is already there, once the new one is complete.
    threads : int
        Worker threads; 0 means all cores. The result does not depend on it.
    memory : int or str, optional
        The most memory of the whole process, in bytes or as ``"512M"``; by default half of what
        the machine has free. Above this limit, the flows and phones that were silent for longest
        are ended, written and counted. With the same limit they are the same on every machine and
        for any number of threads.
    samples : bool
        Also keep every RTT and bytes-in-flight sample (``rtt_samples``, ``in_flight_samples``).
    hash : bool
        Record a hash of each input in the manifest.
    vantage : {"auto", "ue", "monitor", "server"}
        The capture point; ``"auto"`` infers it from the handshakes.
    ue_net : iterable of str
        Networks of the phones, such as ``"10.0.0.0/8"``.
    modem : str or path, or iterable of them
        Modem logs of the phone, in any format that airmile reads. They confirm or refute the queue
        before the radio, and give the tables ``ttis``, ``bursts``, ``cells``, ``handovers`` and
        ``buffer_status``. With a log the captures are read twice, so none can be standard input.
    cell_prbs : int or str, or iterable of them
        Number of PRBs of all cells, such as ``100``, or of the cell with a physical identity, such
        as ``"279:100"``; needed if the log does not contain it.
    compat : {"online"}, optional
        Also find bursts as the published program of Balasingam et al. (2019) does.
    profile : str, optional
        Use the thresholds of a paper, such as ``"lte13"``.
    set : mapping or iterable of str
        Single thresholds by name, such as ``{"bandwidth.min_send_bps": 30e6}``.
    progress : callable, optional
        Called a few times a second with the bytes read, the total bytes (None: unknown), and
        the packets so far. The run ends if it returns False.

    Returns
    -------
    Dataset
        The tables and the verdict. `path` is ``NAME.partial.airmile``, beside `out`, if `progress`
        ended the run, or if a part of an input failed that gave more packets to the dataset at
        `out`, which then stays.

    Raises
    ------
    UsageError
        An option is wrong, or `out` exists and `overwrite` is false.
    InputError
        Nothing of the input could be read, or a number is out of its range.
    OutputError
        The dataset could not be written.
    KeyboardInterrupt
        The run was interrupted. What was finished is in ``NAME.partial.airmile``; the attribute
        `kept` of the exception, and a note in it, name this path.

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
        "threads": _arguments.threads(threads),
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
        options["memory"] = _size(memory)
    elif (share := _memory.default()) is not None:
        options["default_memory"] = share
    if profile is not None:
        options["profile"] = profile
    target = Path(out) if out is not None else default_out(inputs[0])
    _place.check(target, overwrite=overwrite, captures=inputs, logs=logs)
    from airmile import _engine

    with engine_errors():
        place = _engine.analyze(
            inputs, str(target), overwrite, options, progress, _rrc.decoder(), _manifest.fault
        )
    return Dataset(_place.named(target, place), threads=threads)


def _size(given: int | str) -> str:
    return given if isinstance(given, str) else str(_arguments.whole("memory", given, 1))


def listed(given: Any) -> list[Any]:
    """Return the given values as a list; a single value becomes a list of one.

    >>> listed("a.qmdl"), listed([50, "279:100"]), listed(())
    (['a.qmdl'], [50, '279:100'], [])
    """
    alone = isinstance(given, str | os.PathLike) or not isinstance(given, Iterable)
    return [given] if alone else list(given)


def default_out(capture: str) -> Path:
    """Return the default path of a capture's dataset, in the current directory.

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
        # Path.glob does not accept an absolute pattern.
        capture = min(glob.glob(capture), default="captures")  # noqa: PTH207
    name = Path(capture).resolve().name
    extensions = (*_CAPTURES, *_modem_formats.endings())
    while name.lower().endswith(extensions) and Path(name).suffix:
        name = Path(name).stem
    return Path(f"{name}.airmile")
