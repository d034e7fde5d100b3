"""How far the shares that are said are from the true ones, whatever their order in time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from tests.taps.labels import fitting


def distance(true: Mapping[str, int], said: Mapping[str, int]) -> float | None:
    """Give half the sum of the differences between shares, from 0 to 1.

    A label with several fitting causes counts as those of them that are said, as far as they go.

    Parameters
    ----------
    true, said : mapping of str to int
        The time of each label, and of each cause; both add up to the same.

    Examples
    --------
    >>> distance({"link": 6, "rwnd": 4}, {"lte_downlink": 8, "receive_window": 2})
    0.2
    >>> distance({"mixed_link_cwnd": 10}, {"lte_downlink": 5, "slow_start": 5})
    0.0
    """
    whole = sum(true.values())
    if not whole:
        return None
    left, flow = dict(said), {(label, cause): 0 for label in true for cause in said}
    for label, time in true.items():
        rest = time
        while rest and (path := _path(label, left, flow)):
            steps = list(pairwise(path))
            back = [flow[b, a] for a, b in steps[1::2]]
            amount = min([rest, left[path[-1]], *back])
            for number, (a, b) in enumerate(steps):
                # A step back gives a cause free that another label had taken.
                flow[(a, b) if number % 2 == 0 else (b, a)] += amount * (-1) ** number
            left[path[-1]] -= amount
            rest -= amount
    return round(1 - sum(flow.values()) / whole, 6)


def _path(
    label: str, left: Mapping[str, int], flow: Mapping[tuple[str, str], int]
) -> list[str] | None:
    """Give labels and causes in turn, from a label to a cause of which something is left."""
    ways = [[label]]
    seen: set[str] = set()
    labels = {label}
    while ways:
        way = ways.pop(0)
        for cause in sorted(fitting(way[-1]) & left.keys() - seen):
            seen.add(cause)
            if left[cause]:
                return [*way, cause]
            for (other, taken), amount in flow.items():
                if taken == cause and amount and other not in labels:
                    labels.add(other)
                    ways.append([*way, cause, other])
    return None
