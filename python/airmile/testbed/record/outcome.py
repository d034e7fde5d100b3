"""The outcome of a run: a dataset with its analysis, its truth and its files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from airmile._errors import InputError, OutputError
from airmile.store import _manifest, _points, _runs
from airmile.store._needs import contains
from airmile.store._shapes import each, flag, known, named, record, text, whole, word
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.hosts.namespaces import PLACES
from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.record.captures import Point
from airmile.testbed.truth import labels, tables, trials

SUFFIX = _runs.SUFFIX
"""The suffix of the folder of a run, as of every dataset."""

MODEM_LOG = "modem.csv"
"""The log that the phone's modem would write; `cells.csv` and `handovers.csv` are beside it."""

_PREFERRED: tuple[Point, ...] = ("monitor", "ue", "server")
"""The capture points in order of preference; the first one with a capture is analysed."""


def finish(part: Path, out: Path, experiment: Experiment, facts: dict[str, Any]) -> None:
    """Turn the files of a run, which must include a capture, into a dataset.

    Parameters
    ----------
    part : Path
        The folder with the files now.
    out : Path
        The final folder of the run.
    experiment : Experiment
        The experiment that was run.
    facts : dict
        The facts for the key `testbed` of the manifest.

    Raises
    ------
    OutputError
        The run left no capture.
    """
    import airmile

    capture = next((name for name in _PREFERRED if (part / f"{name}.pcap").exists()), None)
    if capture is None:
        raise OutputError(f"the run left no capture: none of {', '.join(_PREFERRED)}.pcap")
    tables.collect(part)
    _analyse(part, out, capture, facts)
    for name in _PREFERRED:
        if name != capture and (part / f"{name}.pcap").exists():
            _analyse_beside(part, out, name)
    dataset = airmile.open(part)
    if contains(dataset, "truth_ttis"):
        labels.write(dataset, experiment.direction, Senders.of(facts))
    trials.write(dataset, facts)
    _manifest.write(part, dataset.manifest)


def manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest in a folder.

    Raises
    ------
    InputError
        The manifest is broken or missing.
    """
    file = folder / "manifest.json"
    if not file.exists():
        raise InputError(f"{file}: no such file", "airmile testbed run bulk_download")
    return _manifest.sealed(file, _AGAIN.format(folder))


_AGAIN = "remove {} and run it again"


def manifest_of(run: Path) -> dict[str, Any]:
    """Return the facts that the manifest of a finished run has under `testbed`.

    Raises
    ------
    InputError
        The folder is not a run, or its manifest is broken.
    """
    facts = manifest(run).get("testbed")
    if not isinstance(facts, dict):
        raise InputError(f"{run}: not a run of the testbed", "airmile testbed run bulk_download")
    if fault := _FACTS.fault(facts):
        raise InputError(f"{run / 'manifest.json'}: testbed{fault}", _AGAIN.format(run))
    return facts


_ROUTE = record({"initial_window": whole(1, 2**20)}, optional=["initial_window"], more=True)

_PROXY = record({"ports": each(whole(0, 2**16 - 1))}, optional=["ports"], more=True)

_FACTS = record(
    {
        "experiment": record(
            {
                "direction": word("downlink", "uplink"),
                "routes": named(_ROUTE, PLACES),
                "proxy": known(_PROXY),
            },
            more=True,
        ),
        "sender": word(*PLACES),
        "trustworthy": flag(),
        "untrustworthy_because": each(text()),
    },
    optional=["trustworthy", "untrustworthy_because"],
    more=True,
)
"""The facts that scoring needs, with their types: some of them become part of a query."""


def is_run(folder: Path) -> bool:
    """Return whether a folder is a finished run.

    Raises
    ------
    InputError
        The manifest of the folder is broken.
    """
    return (folder / "manifest.json").is_file() and "testbed" in manifest(folder)


def has_truth(run: Path) -> bool:
    """Return whether a finished run has the truth of its link; over a real interface none has."""
    return (run / "truth_labels").is_dir()


def _analyse(part: Path, out: Path, capture: str, facts: dict[str, Any]) -> None:
    """Put the tables of the analysis and those of the truth under one manifest."""
    import airmile

    log = part / MODEM_LOG
    with tempfile.TemporaryDirectory(dir=part) as scratch:
        analysed = airmile.analyze(
            part / f"{capture}.pcap",
            modem=[log] if _has_rows(log) else (),
            out=Path(scratch) / "x",
        )
        for table in analysed.tables:
            (analysed.path / table).rename(part / table)
    found = analysed.manifest
    # The manifest names the capture's final place, where later readers look for packets.
    for given in (*found["inputs"], *found.get("modem", [])):
        given["name"] = str(out / Path(given["name"]).name)
    _manifest.write(part, {**found, "testbed": facts})


def _analyse_beside(part: Path, out: Path, capture: Point) -> None:
    """Analyse the capture at another point: some things are visible only at the phone or server."""
    import airmile

    there = airmile.analyze(
        part / f"{capture}.pcap", out=part / _points.name(capture), vantage=capture
    )
    manifest = there.manifest
    manifest["inputs"][0]["name"] = str(out / f"{capture}.pcap")
    _manifest.write(there.path, manifest)


def _has_rows(log: Path) -> bool:
    """Return whether a log has more than its header; a run over a real interface has no log."""
    if not log.exists():
        return False
    with log.open(encoding="utf-8") as lines:
        return sum(1 for _ in zip(lines, range(2), strict=False)) == 2
