"""What really limited each 100 ms of a run, from the queue's truth and the kernel's own clocks.

The rule (`RULE`) is that of the recorded links with known truth, so that scores compare.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.truth import tables

if TYPE_CHECKING:
    from airmile.dataset import Dataset

BIN_NS = 100_000_000

RULE = (
    "q=(ACTIVE+CONTENTION)/TTIs; order: no data->idle_or_app, but unknown if more than 1000 bytes "
    "were carried or q>=.4; ca_state 4->rto_loss; q>=.8->link; "
    "rwnd_limited>30ms, or in >=50% of 10-ms samples notsent>0, snd_wnd<cwnd and less of it "
    "free than a segment or a third->rwnd; busy<50ms or >=50% of 10-ms samples with less than a "
    "segment unsent and unacked<0.95 cwnd->idle_or_app; ca 3->recovery; q>=.4->mixed_link_cwnd; "
    "else cwnd_or_path. "
    "Several flows: the label with most busy time. An uplink TTI that waits for a grant alone is "
    "no queue."
)

UNKNOWN = "unknown"
"""The sender was asked too seldom to tell, or not at all: such a bin is not scored."""

FEW_SAMPLES = 3
"""Of ten in a bin, on a machine that had other things to do."""

_CWND_FULL = 0.95

_QUEUED = 0.4

_FEW_BYTES = 1000
"""In a bin: handshakes and ends of connections, of which no sender knows."""


@dataclass
class _Clock:
    """What one flow's kernel state did in one bin."""

    busy_us: int
    rwnd_us: int
    acked: int
    ca_state: int
    samples: int
    starved: int
    window_full: int

    @classmethod
    def unseen(cls) -> _Clock:
        """Give the state of a flow that nobody asked for."""
        return cls(0, 0, 0, 0, 0, 0, 0)

    def label(self, queued: float) -> str:
        """Apply the rule."""
        if self.samples < FEW_SAMPLES:
            return UNKNOWN
        if self.ca_state == 4:
            return "rto_loss"
        if queued >= 0.8:
            return "link"
        # The kernel's clock stands still in the ticks in which it defers a segment.
        if self.rwnd_us > 30_000 or self.window_full >= 0.5 * self.samples:
            return "rwnd"
        if self.busy_us < 50_000 or self.starved >= 0.5 * self.samples:
            return "idle_or_app"
        if self.ca_state == 3:
            return "recovery"
        return "mixed_link_cwnd" if queued >= _QUEUED else "cwnd_or_path"


def write(dataset: Dataset, direction: str, senders: Senders) -> None:
    """Write the table `truth_labels` of a run.

    Parameters
    ----------
    dataset : Dataset
        The run, with its truth.
    direction : str
        Of the data that is judged: `downlink` or `uplink`.
    senders : Senders
        Whose sockets send it over the radio.
    """
    import pyarrow as pa

    bins = dataset._arrow(_queues(direction)).to_pylist()
    flows = _flows(dataset, senders, bins[0]["start_ns"]).values() if bins else []
    for number, queue in enumerate(bins):
        clocks = [per[number] for per in flows if number in per]
        queue["label"], queue["flows"], queue["label_share"] = _label(
            _queued(queue), queue["served_bytes"], clocks
        )
    tables.write(dataset.path, "truth_labels", pa.Table.from_pylist(bins))


@dataclass(frozen=True)
class Held:
    """What limited one connection in one bin.

    Attributes
    ----------
    start_ns, end_ns : int
        Of the bin.
    label : str
        By the rule.
    label_without_queue : str
        By the rule, had no queue stood.
    busy_ratio : float
        Share of TTIs with a queue.
    served_ratio : float or None
        Bytes carried over those that all PRBs would have carried; None where these are none.
    """

    start_ns: int
    end_ns: int
    label: str
    label_without_queue: str
    busy_ratio: float
    served_ratio: float | None


def of_connections(
    dataset: Dataset, direction: str, senders: Senders
) -> dict[tuple[int, int, int], list[Held]]:
    """Label each connection by itself, where `write` gives one label for all of them.

    Parameters
    ----------
    dataset : Dataset
        The run, with its truth.
    direction : str
        Of the data that is judged: `downlink` or `uplink`.
    senders : Senders
        Whose sockets send it over the radio.

    Returns
    -------
    dict
        By the phone's port, the server's, and the number of the connection with these: its bins,
        from the first to the last in which the kernel knew of it.
    """
    bins = dataset._arrow(_queues(direction)).to_pylist()
    flows = _flows(dataset, senders, bins[0]["start_ns"]) if bins else {}
    return {
        key: [_held(bins[number], clocks[number]) for number in clocks if number < len(bins)]
        for key, clocks in flows.items()
    }


def _held(queue: Mapping[str, int], clock: _Clock) -> Held:
    queued = _queued(queue)
    # A connection with nothing to send is idle, whatever the others' queue.
    busy = clock.busy_us or clock.acked or clock.samples < FEW_SAMPLES
    label, alone = (clock.label(q) if busy else "idle_or_app" for q in (queued, 0.0))
    served = queue["served_bytes"] / queue["available_bytes"] if queue["available_bytes"] else None
    return Held(queue["start_ns"], queue["end_ns"], label, alone, queued, served)


def _queued(queue: Mapping[str, int]) -> float:
    """Give the share of a bin's TTIs that had a queue."""
    waited = queue["active_ttis"] + queue["contention_ttis"]
    return waited / (waited + queue["underflow_ttis"] + queue["last_active_ttis"])


def _label(queued: float, served: int, clocks: list[_Clock]) -> tuple[str, int, float]:
    """Give the label with most busy time, how many flows had data, and the label's share.

    What is carried while no sender knows of it has one that nobody asked, or that is gone.
    """
    said = [(clock.busy_us, clock.label(queued)) for clock in clocks]
    if any(label == UNKNOWN for _, label in said):
        return UNKNOWN, len(clocks), 1.0
    busy = [one for one, clock in zip(said, clocks, strict=True) if clock.busy_us or clock.acked]
    if not busy:
        unseen = served > _FEW_BYTES or queued >= _QUEUED
        return UNKNOWN if unseen else "idle_or_app", 0, 1.0
    shares: Counter[str] = Counter()
    for time, label in busy:
        shares[label] += time
    label, time = shares.most_common(1)[0]
    return label, len(busy), round(time / sum(shares.values()), 2) if time else 1.0


def _queues(direction: str) -> str:
    """Ask for the TTIs per state and bin; every bin has some, for the link never pauses."""
    states = ", ".join(
        f"count(*) FILTER (waits = '{state}') AS {state.lower()}_ttis"
        for state in ("UNDERFLOW", "ACTIVE", "CONTENTION", "LAST_ACTIVE")
    )
    return f"""
        WITH ttis AS (
            SELECT *, time_ns - min(time_ns) OVER () AS since_ns,
                -- An uplink TTI that waits for a grant alone is no queue.
                CASE WHEN direction = 'uplink' AND blocked = 'grant' THEN 'UNDERFLOW'
                    ELSE state END AS waits
            FROM truth_ttis WHERE direction = '{direction}'
        )
        SELECT min(time_ns - since_ns % {BIN_NS}) AS start_ns,
            min(time_ns - since_ns % {BIN_NS}) + {BIN_NS} AS end_ns,
            {states}, sum(available_bytes)::BIGINT AS available_bytes,
            sum(served_bytes)::BIGINT AS served_bytes, max(queue_bytes) AS queue_max_bytes
        FROM ttis GROUP BY since_ns // {BIN_NS} ORDER BY 1"""


def _flows(
    dataset: Dataset, senders: Senders, start: int
) -> dict[tuple[int, int, int], dict[int, _Clock]]:
    """Per connection: what its clocks did in each bin."""
    samples: defaultdict[tuple[int, int, int], list[Mapping[str, int]]] = defaultdict(list)
    # By port too: of labels with the same time, that of the flow that came first counts.
    query = f"SELECT * FROM ({senders.samples()}) ORDER BY time_ns, phone_port, server_port"
    for row in dataset._arrow(query).to_pylist():
        samples[row["phone_port"], row["server_port"], row["connection"]].append(row)
    return {key: _clocks(flow, start) for key, flow in samples.items()}


def _clocks(samples: list[Mapping[str, int]], start: int) -> dict[int, _Clock]:
    times = [row["time_ns"] for row in samples]
    first, last = max((times[0] - start) // BIN_NS, 0), (times[-1] - start) // BIN_NS
    clocks = {}
    for number in range(first, last + 1):
        begin = bisect_left(times, start + number * BIN_NS)
        end = bisect_left(times, start + (number + 1) * BIN_NS)
        before = samples[begin - 1] if begin else None
        here = samples[begin:end]
        # At its ends a flow has fewer samples because it is not there.
        whole = first < number < last
        clocks[number] = _clock(here, before) if here else _Clock.unseen()
        if clocks[number].samples and not whole:
            clocks[number].samples = max(clocks[number].samples, FEW_SAMPLES)
    return clocks


def _clock(here: list[Mapping[str, int]], before: Mapping[str, int] | None) -> _Clock:
    if any(row[column] is None for row in here for column in _NEEDED):
        return _Clock.unseen()

    def grew(column: str) -> int:
        return here[-1][column] - (before[column] if before else 0)

    starved = (_starved(row) for row in here)
    return _Clock(
        busy_us=grew("busy_us"),
        rwnd_us=grew("rwnd_lim_us"),
        acked=grew("bytes_acked") if before else 0,
        ca_state=max(row["ca_state"] for row in here),
        samples=len(here),
        starved=sum(starved),
        window_full=sum(row["window_full"] for row in here),
    )


_NEEDED = ("busy_us", "rwnd_lim_us", "notsent", "window_full")
"""What an old kernel does not tell: without it nothing can be said."""


def _starved(row: Mapping[str, int]) -> bool:
    """Whether the window has room and no full segment waits: a part of one may (RFC 896)."""
    return row["notsent"] < row["snd_mss"] and row["unacked"] < _CWND_FULL * row["cwnd"]
