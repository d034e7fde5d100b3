"""UP16 section 4: a bulk upload of 10 MB at 2 and at 8 Mbit/s, and where its packets wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from airmile.campaign.design import Arm, Campaign, Statement
from airmile.study.up16 import fig7_round_trips as fig7

if TYPE_CHECKING:
    from airmile.store import Tables

BYTES = 10_000_000

Steps = list[dict[str, Any]]

TRUE_QDISC = """SELECT run, max(qdisc_bytes) * 8 / any_value(rate) * 1e3 AS value FROM (
        SELECT run, qdisc_bytes, sum(served_bytes) OVER whole * 8e9
            / (max(time_ns) OVER whole - min(time_ns) OVER whole) AS rate
        FROM truth_ttis WHERE direction = 'uplink' AND queue_bytes > 0
        WINDOW whole AS (PARTITION BY run))
    GROUP BY run"""
"""SQL of the longest wait in the Qdisc in ms: its bytes divided by the rate of the link."""


def _of(figure: Callable[[Steps], float | None]) -> Callable[[Tables], Iterator[dict[str, Any]]]:
    """Return a function that gives the rows of a figure of the upload of each run."""

    def rows(dataset: Tables) -> Iterator[dict[str, Any]]:
        for run, steps in _uploads(dataset).items():
            yield {"run": run, "value": figure(steps)}

    return rows


@lru_cache(maxsize=1)
def _uploads(dataset: Tables) -> dict[str, Steps]:
    """Return the steps of the upload of each run; they are computed once for all statements."""
    return fig7.by_run(fig7.table(dataset))


def _after(megabytes: float) -> Callable[[Steps], float | None]:
    """Return a function that gives RTT_F after a number of megabytes, in ms."""

    def figure(steps: Steps) -> float | None:
        late = [each["rtt_f_ms"] for each in steps if each["sent_bytes"] > megabytes * 1e6]
        return late[0] if late else None

    return figure


def _steady(name: str) -> Callable[[Steps], float | None]:
    return lambda steps: fig7.middle(fig7.steady(steps), name)


def _over(name: str, base: str) -> Callable[[Steps], float | None]:
    """Return a function that gives the ratio of two round trips in the second half of an upload."""

    def figure(steps: Steps) -> float | None:
        above, below = _steady(name)(steps), _steady(base)(steps)
        return above / below if above is not None and below else None

    return figure


def _most_above(steps: Steps) -> float | None:
    """Return the largest RTT_Q - RTT_F, in ms."""
    known = [each["qdisc_delay_ms"] for each in steps if each["qdisc_delay_ms"] is not None]
    return max(known, default=None)


def _statements() -> Iterator[Statement]:
    for rate, after_mb, rtt_f, above, times in ((2, 2, 1300, 3000, 24), (8, 4, 330, 680, 6)):
        arm = f"{rate}mbps"
        place = "section 4.1, figure 7a" if rate == 2 else "section 4.1, figure 7b"
        yield Statement(
            f"{rate} Mbps: RTT_F after {after_mb} MB", place, f"{rtt_f} ms", rtt_f, "ms", "mean",
            _of(_after(after_mb)), arm, set_by=FIRMWARE,
        )  # fmt: skip
        yield Statement(
            f"{rate} Mbps: RTT_Q - RTT_F at most", place, f"{above} ms", above, "ms", "mean",
            _of(_most_above), arm, truth=TRUE_QDISC, because=QDISC, set_by=WINDOW,
        )  # fmt: skip
        yield Statement(
            f"{rate} Mbps: RTT_B, steady", place, "50 ms", 50, "ms", "mean",
            _of(_steady("rtt_b_ms")), arm, because=NETWORK, set_by=PATH,
        )  # fmt: skip
        yield Statement(
            f"{rate} Mbps: RTT_F over RTT_B, steady", "section 4.1",
            f"{times} times (6 to 24, by the rate)", times, "", "mean",
            _of(_over("rtt_f_ms", "rtt_b_ms")), arm, side=1, no_effect=1, because=SIZE,
            set_by=BOTH,
        )  # fmt: skip
        yield Statement(
            f"{rate} Mbps: RTT_Q over RTT_F, steady", "section 4.1",
            f"twice as large after {after_mb + 2} MB", 2, "", "mean",
            _of(_over("rtt_q_ms", "rtt_f_ms")), arm, side=1, no_effect=1, because=HALF,
        )  # fmt: skip


FIRMWARE = (
    "the firmware's buffer holds 300 KB, as the paper's figure implies (its text says only above "
    "150 KB), and any upload fills it"
)
WINDOW = (
    "a receive window of 1.06 MB leaves 0.7 MB in the Qdisc, which take the published time; it "
    "replaces Android's buffer for sending, which today's kernels account otherwise"
)
PATH = "the delays of the path and of the radio make 50 ms"
BOTH = "RTT_F follows from the firmware's buffer, and RTT_B from the path"
QDISC = (
    "RTT_Q is the round trip that the sender's TCP measures; small queues are off. The largest "
    "difference may be that of the last packets, which wait less in the firmware."
)
NETWORK = "RTT_B is RTT_F without the wait in the firmware; steady is the second half by bytes."
SIZE = (
    "One firmware buffer of 300 KB serves both rates here; figure 7 implies 313 KB at 2 Mbps and "
    "280 KB at 8 Mbps."
)
HALF = (
    "Ours is the median of the second half of the upload. The paper's ratio is of one moment, and "
    "its own delays give more later: 3 s above 1.3 s is 3.3 times, 680 ms above 330 ms 3.1 times."
)

CAMPAIGN = Campaign(
    study="up16",
    section="section 4",
    title="where does a bulk upload wait on the phone?",
    arms=[
        Arm(
            f"{rate}mbps",
            "up16_upload",
            {"workload.bytes": BYTES, "link.uplink.rate.mbps": rate, "longest_s": 120},
            expected_s=expected_s,
            megabytes=15,
        )
        for rate, expected_s in ((2, 43), (8, 13))
    ],
    whole=10,
    quick=7,
    exhibits=["fig7", "fig9", "fig4a", "fig4b"],
    statements=list(_statements()),
    notes=[
        "The paper shows one upload at each rate; here are several, which differ in the link's "
        "HARQ retransmissions and grants.",
    ],
)
