"""The packets of chosen flows, for which the captures of a dataset are read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._arguments import whole
from airmile._errors import InputError, UsageError, engine_errors
from airmile.answers.verdict._flows import offer
from airmile.store import _captures
from airmile.store._rows import rows
from airmile.store._settings import settings

if TYPE_CHECKING:
    from airmile._engine import Option
    from airmile.store import Tables


AGAIN = "analyse it again with --overwrite"

MOST_UID = 2**64 - 1

PACKETS_AT_ONCE = 1 << 19
"""The most packets of several flows that one pass keeps in memory, some 100 MB.

A longer flow is read in a pass of its own.
"""


@dataclass(frozen=True)
class _Flow:
    """A flow as the analysis found it."""

    uid: int
    packets: int
    ending: str


def read(dataset: Tables, uid: int) -> pa.Table:
    """Return the packets of a flow, after checking that they are the analysed ones."""
    (found,) = read_each(dataset, [uid])
    return found[1]


def read_each(dataset: Tables, uids: Iterable[int]) -> Iterator[tuple[int, pa.Table]]:
    """Yield flows with their packets, in the order of `uids`.

    One pass over the captures serves as many flows as have up to `PACKETS_AT_ONCE` packets in
    total.
    """
    for group in _groups(_flows(dataset, _distinct(uids))):
        tables = _traced(dataset, group)
        for flow in group:
            yield flow.uid, _checked(dataset, flow, tables.pop(flow.uid, None))


def count(dataset: Tables, uids: Iterable[int]) -> int:
    """Return the total number of packets of these flows."""
    return sum(flow.packets for flow in _flows(dataset, _distinct(uids)))


def _distinct(uids: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(whole("uid", uid, 0, MOST_UID) for uid in uids))


def _groups(flows: list[_Flow]) -> Iterator[list[_Flow]]:
    group: list[_Flow] = []
    packets = 0
    for flow in flows:
        packets += flow.packets
        if group and packets > PACKETS_AT_ONCE:
            yield group
            group, packets = [], flow.packets
        group.append(flow)
    if group:
        yield group


def _traced(dataset: Tables, flows: list[_Flow]) -> dict[int, pa.Table]:
    from airmile import _engine

    uids = [flow.uid for flow in flows]
    try:
        with engine_errors():
            streams = _engine.trace(_captures.find(dataset), uids, _options(dataset))
    except UsageError as error:
        # The options come from the dataset, not from the user.
        raise InputError(f"{dataset.path}/manifest.json: {error.message}") from None
    return {
        uid: pa.RecordBatchReader.from_stream(stream).read_all() for uid, stream in streams.items()
    }


def _checked(dataset: Tables, flow: _Flow, table: pa.Table | None) -> pa.Table:
    if table is None:
        raise _absent(dataset, flow.uid)
    if flow.ending == "memory":
        # The analysis ended this flow early to save memory; later packets belong to another flow.
        table = table.slice(0, flow.packets)
    if table.num_rows != flow.packets and not dataset.manifest["interrupted"]:
        raise InputError(
            f"flow {flow.uid} has {table.num_rows} packets in the capture and {flow.packets} in "
            f"{dataset.path}: the capture has changed",
            AGAIN,
        )
    return table


def _absent(dataset: Tables, uid: int) -> InputError:
    """Return why a flow of the dataset is not in its captures."""
    ended = dataset.manifest.get("ended_for_memory", 0)
    if not ended:
        return InputError(
            f"flow {uid} of {dataset.path} is not in the capture: the capture has changed", AGAIN
        )
    return InputError(
        f"flow {uid} continues a connection that was ended early in {dataset.path}, as {ended} "
        "were, to keep within --memory: it cannot be read alone",
        "analyse the capture again with more --memory, or a part of it",
    )


def _flows(dataset: Tables, uids: list[int]) -> list[_Flow]:
    query = (
        "SELECT uid, protocol, ending, coalesce(dl_packets, 0) + coalesce(ul_packets, 0) "
        "AS packets FROM flows"
    )
    listed = ", ".join(map(str, uids)) or "NULL"
    found = {row["uid"]: row for row in rows(dataset, f"{query} WHERE uid IN ({listed})")}
    for uid in uids:
        if uid not in found:
            raise UsageError(f"{dataset.path} has no flow {uid}", offer(dataset))
        if found[uid]["protocol"] != "tcp":
            raise UsageError(
                f"flow {uid} is {found[uid]['protocol']}: packets can be listed for TCP flows only",
                offer(dataset),
            )
    return [_Flow(uid, int(found[uid]["packets"]), str(found[uid]["ending"])) for uid in uids]


def _options(dataset: Tables) -> dict[str, Option]:
    """Return the options of the analysis that define flows and phones."""
    manifest = dataset.manifest
    vantage = manifest["vantage"]
    return {
        "vantage": vantage["value"] if vantage["source"] == "given" else "auto",
        "ue_net": manifest["ue_nets"],
        "set": settings(manifest.get("parameters", {})),
    }
