"""What limited each connection of a run in each 100 ms, by the rule of the testbed's labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airmile.store import Tables
from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.truth import clocks
from airmile.testbed.truth.clocks import FEW_SAMPLES, Clock
from airmile.testbed.truth.labels import label_of, queued_ratio, queues


@dataclass(frozen=True)
class Held:
    """The limit of one connection in one bin.

    Attributes
    ----------
    start_ns, end_ns : int
        The bin.
    label : str
        The label by the rule.
    label_without_queue : str
        The label by the rule if there were no queue.
    busy_ratio : float
        Share of TTIs with a queue.
    served_ratio : float or None
        Bytes carried over those that all PRBs would have carried; None if these are 0.
    """

    start_ns: int
    end_ns: int
    label: str
    label_without_queue: str
    busy_ratio: float
    served_ratio: float | None


def of_connections(
    dataset: Tables, direction: str, senders: Senders
) -> dict[tuple[int, int, int], list[Held]]:
    """Label each connection by itself, where `write` gives one label for all of them.

    Parameters
    ----------
    dataset : Tables
        The run, with its truth.
    direction : str
        The direction of the data that is judged: `downlink` or `uplink`.
    senders : Senders
        The sockets that send it over the radio.

    Returns
    -------
    dict
        The bins of each connection, from its first to its last, by the phone's port, the server's,
        and the number of the connection with these.
    """
    bins = dataset.arrow(queues(direction)).to_pylist()
    flows = clocks.of_connections(dataset, senders, bins[0]["start_ns"]) if bins else {}
    return {
        key: [_held(bins[number], each) for number, each in flow.items() if number < len(bins)]
        for key, flow in flows.items()
    }


def _held(queue: Mapping[str, int], clock: Clock) -> Held:
    queued = queued_ratio(queue)
    # A connection with nothing to send is idle, whatever the others' queue.
    busy = clock.busy_us or clock.acked or clock.samples < FEW_SAMPLES
    label, alone = (label_of(clock, q) if busy else "idle_or_app" for q in (queued, 0.0))
    served = queue["served_bytes"] / queue["available_bytes"] if queue["available_bytes"] else None
    return Held(queue["start_ns"], queue["end_ns"], label, alone, queued, served)
