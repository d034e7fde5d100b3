"""Compares link demand, the share of a transfer with data at the link, with the truth (methods G3).

There is one case per download of 50 ms or more, from its first byte to its end. The estimate needs
the modem log, which a run leaves beside its captures. The truth is the share of TTIs after which
data was left in the queue of the base station.
"""

from __future__ import annotations

from airmile.testbed.scoring.pairs import Case, Compared, Pair

QUEUED_STATES = ("ACTIVE", "CONTENTION")
"""The states of a TTI after which data is left in the queue (BT19 section 2.1.1)."""

SHORTEST_NS = 50_000_000
"""The shortest transfer that counts, in ns: one TTI changes the share of a shorter one a lot."""


def compare_run(case: Case) -> Compared:
    """Compare the link demand of each download with the truth; uploads have no link demand."""
    pairs: list[Pair] = []
    if case.logged is not None and case.direction == "downlink":
        for transfer in case.logged.arrow(_TRANSFERS).to_pylist():
            truth = case.truth.arrow(_TRUTH.format(**transfer)).to_pylist()[0]["demand_ratio"]
            if truth is not None:
                pairs.append(Pair(transfer["link_demand_ratio"], truth))
    return Compared(tuple(pairs), "of the transfer")


_TRANSFERS = f"""
    SELECT link_demand_ratio, first_byte_ns, end_ns FROM transfers
    WHERE direction = 'downlink' AND NOT control AND end_ns - first_byte_ns >= {SHORTEST_NS}
    ORDER BY first_byte_ns"""

_TRUTH = f"""
    SELECT avg((state IN {QUEUED_STATES})::INTEGER) AS demand_ratio
    FROM truth_ttis WHERE direction = 'downlink'
        AND time_ns >= {{first_byte_ns}} AND time_ns < {{end_ns}}"""
