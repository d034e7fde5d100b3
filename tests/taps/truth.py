"""The truth of each connection of a run at each tap, as spans of time with labels.

What limits data is decided where it enters the radio: by the queue there, and by the state in which
the sender was when it sent what arrives there now. At a tap this is seen earlier or later by the
unloaded delay of the path between, so that a label has the same length at every tap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import airmile
from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.record.captures import POINTS
from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.scoring.pairs import Case
from airmile.testbed.scoring.run import shown
from tests.everyday import truth as exchanges
from tests.physics import truth as transfers
from tests.recorded.files import read_rows
from tests.recorded.packets import FIN, RST, packets
from tests.recorded.spans import Span, within
from tests.taps.finer import Finer
from tests.taps.wired import waits

COLUMNS = ("tap", "direction", "port", "start_ns", "end_ns", "label")

EITHER = "either"
"""The direction of rows that are about both."""

ALWAYS_WRITE = ("bulk_download", "bulk_upload")
"""The workloads whose applications write as fast as they may."""


@dataclass(frozen=True)
class Row:
    """The label of the connection of a port of the phone over a span at a tap."""

    tap: str
    direction: str
    port: int
    start_ns: int
    end_ns: int
    label: str


@dataclass(frozen=True)
class Later(Senders):
    """Senders whose samples are later, by the time that data takes to the radio."""

    by_ns: int = 0

    def samples(self) -> str:
        """Return the SQL of the samples, with later times."""
        return f"SELECT * REPLACE (time_ns + {self.by_ns} AS time_ns) FROM ({super().samples()})"


def of(run: Path, *, by_logs: bool = True) -> list[Row]:
    """Compute the truth of a run at each tap, or read it where it is kept.

    Parameters
    ----------
    run : Path
        The folder of the run.
    by_logs : bool
        Whether the truth of exchanges follows from the logs of their applications, byte by byte.
    """
    kept = run / "truth.csv.gz"
    if kept.exists():
        return [_read(row) for row in read_rows(kept)]
    if by_logs and manifest_of(run)["experiment"]["workload"] == "exchange":
        rows, _ = exchanges.of(run)
        return [Row(**{**asdict(row), "direction": EITHER}) for row in rows]
    return list(_of_transfers(run))


def _read(row: Mapping[str, str]) -> Row:
    port, start_ns, end_ns = (int(row[name]) for name in ("port", "start_ns", "end_ns"))
    return Row(row["tap"], row["direction"], port, start_ns, end_ns, row["label"])


def _of_transfers(run: Path) -> Iterable[Row]:
    facts = manifest_of(run)
    experiment = facts["experiment"]
    direction, link = experiment["direction"], experiment["link"]
    wired_ns = round(link[f"path_{direction}"]["delay_ms"] * 1e6)
    own = Senders.of(facts)
    # A proxy and a phone send into the radio itself.
    delay_ns = wired_ns if own.place == "server" else 0
    senders = Later(own.place, own.ports, own.initial_windows, delay_ns)
    truth = airmile.open(run)
    case = Case(truth, truth, direction, senders)
    path = link[f"path_{direction}"]
    narrow = path["mbps"] is not None or path["policer"] is not None
    # The kernel's own clock of full send buffers (tcp_info) did not run in any recording.
    bulk = experiment["workload"] in ALWAYS_WRITE and not experiment["background"]
    finer = Finer(case, waits(run, direction, wired_ns) if narrow else {}, bulk=bulk)
    rows = transfers.of(run, case, finer, delay_ns)
    for tap in POINTS:
        placed = shown(facts, tap)
        seen = _seen(next(run.glob(f"{tap}.pcap*")), direction)
        for row in rows:
            span = placed(row.start_ns), placed(row.end_ns)
            for part in within([span], seen.get(row.port, (0, 0))):
                yield Row(tap, direction, row.port, *part, row.label)


def _seen(capture: Path, direction: str) -> dict[int, Span]:
    """Give when the data of each connection passes a tap: from the first packet to the last one.

    What comes before is a handshake or the wait of a request, in a bin that may end with data. What
    follows is seen elsewhere alone, such as a queue behind the tap that drains; nor is data wanted
    that comes after its receiver has closed.
    """
    found: dict[int, Span] = {}
    closed: set[int] = set()
    for each in packets(capture):
        with_data = each.up == (direction == "uplink")
        if not with_data and each.flags & (FIN | RST):
            closed.add(each.port)
        if with_data and each.payload and each.port not in closed:
            began, _ = found.get(each.port, (each.time_ns, 0))
            found[each.port] = began, each.time_ns
    return found


Spans = dict[int, list[tuple[Span, str]]]


def at(rows: Iterable[Row], tap: str) -> tuple[str | None, Spans]:
    """Give the direction that is judged, or None for both, and the spans by the phone's port."""
    own = [row for row in rows if row.tap == tap]
    found: Spans = {}
    for row in own:
        found.setdefault(row.port, []).append(((row.start_ns, row.end_ns), row.label))
    direction = own[0].direction if own else EITHER
    return None if direction == EITHER else direction, found
