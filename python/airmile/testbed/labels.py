"""What really limited each 100 ms of a run, from the queue's truth and the kernel's own clocks.

The rule (`RULE`) is that of the recorded links with known truth, so that scores compare.
"""

from __future__ import annotations

import csv
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from airmile.testbed.split import PORT

BIN_NS = 100_000_000

RULE = (
    "q=(ACTIVE+CONTENTION)/TTIs; order: no data->idle_or_app; ca_state 4->rto_loss; q>=.8->link; "
    "rwnd_limited>30ms->rwnd; busy<50ms or >=50% of 10-ms samples with notsent==0 and "
    "unacked<0.95 cwnd->idle_or_app; ca 3->recovery; q>=.4->mixed_link_cwnd; else cwnd_or_path. "
    "Several flows: the label with most busy time. An uplink TTI that waits for a grant alone is "
    "no queue."
)

COLUMNS = [
    "t_unix",
    "bin",
    "under_ms",
    "active_ms",
    "contention_ms",
    "last_active_ms",
    "avail_bytes",
    "served_bytes",
    "qmax",
    "label",
    "flows",
    "label_share",
]

_WAITS_FOR_GRANT = "3"
_CWND_FULL = 0.95


@dataclass
class _Clock:
    """What one flow's kernel state did in one bin."""

    busy_us: int
    rwnd_us: int
    acked: int
    ca_state: int
    samples: int
    starved: int

    def label(self, queued: float) -> str:
        """Apply the rule."""
        if self.ca_state == 4:
            return "rto_loss"
        if queued >= 0.8:
            return "link"
        if self.rwnd_us > 30_000:
            return "rwnd"
        if self.busy_us < 50_000 or self.starved >= 0.5 * self.samples:
            return "idle_or_app"
        if self.ca_state == 3:
            return "recovery"
        return "mixed_link_cwnd" if queued >= 0.4 else "cwnd_or_path"


def write(run: Path, direction: str) -> Path:
    """Write ``labels.csv`` for the data of a direction, and return its path.

    Parameters
    ----------
    run : Path
        A run's folder, with its truth and its senders.
    direction : str
        `downlink` or `uplink`.
    """
    uplink = direction == "uplink"
    start, bins = _queues(run / ("truth_ul.csv" if uplink else "truth_dl.csv"), uplink)
    flows = _flows(_senders(run, uplink), start)
    out = run / "labels.csv"
    with out.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for number, queue in enumerate(bins):
            clocks = [per[number] for per in flows if number in per]
            lines.writerow(_row(start, number, queue, clocks))
    return out


def _row(start: int, number: int, queue: Counter[str], clocks: list[_Clock]) -> list[object]:
    states = [queue[state] for state in ("UNDERFLOW", "ACTIVE", "CONTENTION", "LAST_ACTIVE")]
    queued = (queue["ACTIVE"] + queue["CONTENTION"]) / max(sum(states), 1)
    at = start + number * BIN_NS
    stamp = f"{at // 10**9}.{at % 10**9 // 1000:06d}"
    return [
        stamp,
        number,
        *states,
        queue["avail"],
        queue["served"],
        queue["most"],
        *_label(queued, clocks),
    ]


def _label(queued: float, clocks: list[_Clock]) -> tuple[str, int, float]:
    """Give the label with most busy time, how many flows had data, and the label's share."""
    busy = [
        (clock.busy_us, clock.label(queued)) for clock in clocks if clock.busy_us or clock.acked
    ]
    if not busy:
        return "idle_or_app", 0, 1.0
    shares: Counter[str] = Counter()
    for time, label in busy:
        shares[label] += time
    label, time = shares.most_common(1)[0]
    return label, len(busy), round(time / sum(shares.values()), 2) if time else 1.0


def _queues(truth: Path, uplink: bool) -> tuple[int, list[Counter[str]]]:
    """TTIs per state and bin, and the first instant."""
    start: int | None = None
    bins: list[Counter[str]] = []
    for row in _rows(truth):
        at = _nanoseconds(row["t_unix"])
        start = at if start is None else start
        number = (at - start) // BIN_NS
        bins.extend(Counter() for _ in range(number + 1 - len(bins)))
        waits = uplink and row["blocked"] == _WAITS_FOR_GRANT
        queue = bins[number]
        queue["UNDERFLOW" if waits else row["state"]] += 1
        queue["avail"] += int(row["bytes_avail_full_tti"])
        queue["served"] += int(row["served"])
        queue["most"] = max(queue["most"], int(row["q_start"]))
    return start or 0, bins


def _senders(run: Path, uplink: bool) -> Iterator[dict[str, str]]:
    """State of the senders of the data over the radio: a proxy's, where there is one."""
    core = run / "senders_core.csv"
    if not uplink and core.exists():
        return (row for row in _rows(core) if row["sport"] == str(PORT))
    return _rows(run / ("senders_phone.csv" if uplink else "senders_server.csv"))


def _flows(senders: Iterator[dict[str, str]], start: int) -> list[dict[int, _Clock]]:
    """Per flow: what its clocks did in each bin."""
    samples: defaultdict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
    for row in senders:
        samples[row["sport"], row["dport"]].append(row)
    return [_clocks(flow, start) for flow in samples.values()]


def _clocks(samples: list[Mapping[str, str]], start: int) -> dict[int, _Clock]:
    times = [_nanoseconds(row["t_unix"]) for row in samples]
    first, last = max((times[0] - start) // BIN_NS, 0), (times[-1] - start) // BIN_NS
    clocks = {}
    for number in range(first, last + 1):
        begin = bisect_left(times, start + number * BIN_NS)
        end = bisect_left(times, start + (number + 1) * BIN_NS)
        if begin < end:
            before = samples[begin - 1] if begin else None
            clocks[number] = _clock(samples[begin:end], before)
    return clocks


def _clock(here: list[Mapping[str, str]], before: Mapping[str, str] | None) -> _Clock:
    def grew(column: str) -> int:
        return int(here[-1][column]) - (int(before[column]) if before else 0)

    starved = (
        row["notsent"] == "0" and int(row["unacked"]) < _CWND_FULL * int(row["cwnd"])
        for row in here
    )
    return _Clock(
        busy_us=grew("busy_us"),
        rwnd_us=grew("rwnd_lim_us"),
        acked=grew("bytes_acked") if before else 0,
        ca_state=max(int(row["ca_state"]) for row in here),
        samples=len(here),
        starved=sum(starved),
    )


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as file:
        yield from csv.DictReader(file)


def _nanoseconds(stamp: str) -> int:
    whole, _, part = stamp.partition(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0")[:9])
