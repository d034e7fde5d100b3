"""The capture on the phone: that of the dataset, or the one that a testbed run contains."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from airmile._errors import UsageError
from airmile.store import _points, _scratch
from airmile.store._needs import Missing, source

if TYPE_CHECKING:
    from airmile.store import Tables

BESIDE = "ue.pcap"
"""The phone's capture in a testbed run, whose own tables come from the monitor's capture."""

HOW = "capture on the phone, between Qdisc and modem: tcpdump -i any there, or --vantage ue"


@contextmanager
def captured(dataset: Tables, uid: int | None) -> Iterator[tuple[Tables, str]]:
    """Yield a dataset captured on the phone, and the SQL condition that finds the flow in it.

    A flow has a different uid in another capture, but the same ports.

    Raises
    ------
    Missing
        No packet was captured on the phone.
    """
    flows = source(dataset, "flows", "uid", "vantage", "protocol", "ue_port", "server_port")
    wanted = "protocol = 'tcp'" if uid is None else f"uid = {uid}"
    found = dataset.arrow(f"FROM {flows} WHERE {wanted}").to_pylist()
    if any(flow["vantage"] == "ue" for flow in found):
        yield dataset, wanted
        return
    beside = dataset.path / BESIDE
    if (dataset.path / _points.name("ue")).is_dir() and (uid is None or found):
        yield dataset.at("ue"), f"protocol = 'tcp'{_ports(found[0]) if uid is not None else ''}"
        return
    if not beside.is_file() or (uid is not None and not found):
        places = sorted({flow["vantage"] or "an unknown place" for flow in found})
        seen = f"captured at {', '.join(places)}" if found else f"no TCP flow {uid or ''}".strip()
        raise Missing(f"{dataset.path}: {seen}, not on the phone", HOW)
    ports = "" if uid is None else _ports(found[0])
    with _scratch.folder() as scratch:
        yield _analysed(beside, dataset, scratch), f"protocol = 'tcp'{ports}"


def seen_from(dataset: Tables) -> Tables:
    """Return the runs of a dataset as seen from the phone; the dataset itself without captures."""
    try:
        return dataset.at("ue")
    except UsageError:
        return dataset


def _ports(flow: dict[str, int]) -> str:
    return f" AND ue_port = {flow['ue_port']} AND server_port = {flow['server_port']}"


def _analysed(capture: Path, dataset: Tables, scratch: Path) -> Tables:
    import airmile

    return airmile.analyze(
        capture.resolve(), out=scratch / "phone.airmile", vantage="ue",
        ue_net=dataset.manifest.get("ue_nets", []),
    )  # fmt: skip
