"""EFF14: short flows alone and beside long flows, in the order of the paper, in three networks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from airmile.campaign.design import Arm, Campaign, Estimator, Statement, Trial
from airmile.campaign.known import _efficiency

SEQUENCE = "ABCDABCDABCDA"
NETWORKS = {"3g": "3g", "3.5g": "hspa", "4g": "lte"}
CONTROLS = ("cubic", "reno", "westwood")
REPLICATIONS = {"A": 3, "B": 10, "C": 10, "D": 10}

LONG_SEEDS = 1000
"""The seeds of run A begin here: its flows are pooled with those of run B as independent."""

QUICK_SEEDS = 10
"""The seeds of the short form are 1 to 9."""

EXPECTED_S: Mapping[str, Mapping[str, float]] = {
    "A": {"3g": 182, "3.5g": 182, "4g": 182},
    "B": {"3g": 20, "3.5g": 1.5, "4g": 1},
    "C": {"3g": 50, "3.5g": 7, "4g": 6},
    "D": {"3g": 150, "3.5g": 14, "4g": 8},
}
"""How long the workloads of the runs take, in seconds."""

DRAWN = "the links are drawn so that these percentiles come out (guide to the testbed, Networks)"
CODEL = (
    "Our 4G is one queue of one phone, which CoDel keeps short: two flows share the rate. The "
    "paper's queues are not known; a short queue without a discipline slows long flows to a third "
    "(guide to the testbed, Networks)."
)
DROPS = (
    "CoDel, which keeps the queue of our 4G short, drops packets of a short flow too; the paper's "
    "queues are not known."
)


def _arms() -> Iterator[Arm]:
    for group in NETWORKS:
        for letter in "ABCD":
            for short in CONTROLS:
                for beside in CONTROLS if letter in "CD" else ("",):
                    yield _arm(group, letter, short, beside)


def _arm(group: str, letter: str, short: str, beside: str) -> Arm:
    settings: dict[str, Any] = {
        "network": NETWORKS[group],
        "hosts.server.congestion_control": short,
        **_workload(letter),
    }
    if beside:
        settings["background.1.congestion_control"] = beside
    name = "-".join(filter(None, (group, letter, short, beside)))
    long = letter == "A"
    return Arm(
        name, f"eff14_{letter.lower()}", settings, EXPECTED_S[letter][group],
        megabytes=(400 if group == "4g" else 100) if long else 10,
        first_seed=LONG_SEEDS + 1 if long else 1, group=group,
    )  # fmt: skip


def _workload(letter: str) -> Mapping[str, Any]:
    """Return the settings of a long flow of 3 minutes, or of one short flow."""
    if letter == "A":
        return {"workload.bytes": 10_000_000_000, "workload.seconds": 180, "longest_s": 240}
    return {"workload.count": 1}


def order(arms: Sequence[Arm], rounds: int) -> Iterator[Trial]:
    """Yield the trials of each network in the order ABCDABCDABCDA.

    Within a letter each replication has its own seed, and all congestion controls follow each other
    on the link of this seed. The letters of one round share their seeds, so that a short flow alone
    and one beside long flows have the same link.
    """
    for group in NETWORKS:
        for place, letter in enumerate(SEQUENCE):
            turn = place // 4
            if turn < rounds:
                yield from _letter(arms, group, letter, turn)


def _letter(arms: Sequence[Arm], group: str, letter: str, turn: int) -> Iterator[Trial]:
    own = [arm for arm in arms if arm.name.startswith(f"{group}-{letter}-")]
    for number in range(REPLICATIONS[letter]):
        seed = turn * REPLICATIONS[letter] + number
        first = seed % len(own)
        yield from (Trial(arm, arm.first_seed + seed) for arm in (*own[first:], *own[:first]))


def in_quick(trial: Trial) -> bool:
    """Return whether the short form includes a trial: short flows by CUBIC in 3.5G and 4G."""
    return trial.seed < QUICK_SEEDS and trial.arm.name in (
        "3.5g-B-cubic", "3.5g-C-cubic-cubic", "4g-B-cubic", "4g-C-cubic-cubic",
    )  # fmt: skip


HANDSHAKE = """SELECT trial.run, handshake_rtt_ms AS value
    FROM trials AS trial JOIN flows USING (run, uid)
    WHERE trial.background IS NULL AND kind = 'download'"""
"""SQL of the handshakes of the measured flows, without those of the background flows."""

COMPLETION = """SELECT run, duration_s * 1e3 AS value FROM trials
    WHERE background IS NULL AND kind = 'download'"""

SPREAD = f"""SELECT run, abs(value - median(value) OVER (PARTITION BY split_part(run, '-', 2)))
        AS value
    FROM ({HANDSHAKE})"""
"""SQL of the distance of each handshake from the median of its letter, B or C, in ms."""

RATE = """SELECT run, rate_bps / 1e3 AS value FROM trials
    WHERE background IS NULL AND kind = 'download'"""

LOSSES = """SELECT trial.run, dl_retransmissions AS value
    FROM trials AS trial JOIN flows USING (run, uid) WHERE trial.background IS NULL"""

TABLE_1: Mapping[str, tuple[tuple[int, int, int], tuple[int, int, int]]] = {
    "3g": ((93, 151, 193), (237, 256, 277)),
    "3.5g": ((2601, 3521, 16272), (49, 50, 70)),
    "4g": ((4930, 5830, 57771), (36, 40, 43)),
}
"""The published throughputs in kbps and handshakes in ms, at 5, 50 and 95 %."""


def _table_1() -> Iterator[Statement]:
    for group, published in TABLE_1.items():
        for (quantity, unit, rows), values in zip(
            (("throughput", "kbps", RATE), ("handshake", "ms", HANDSHAKE)), published, strict=True
        ):
            for (estimator, spoken), value in zip(_SHARES, values, strict=True):
                yield Statement(
                    f"{group.upper()}: {quantity} of runs A and B, {spoken}", "table I",
                    f"{value} {unit}", value, unit, estimator, rows, f"{group}-[AB]-*",
                    group=group, set_by=DRAWN,
                )  # fmt: skip


_SHARES: Sequence[tuple[Estimator, str]] = (("p5", "5 %"), ("median", "50 %"), ("p95", "95 %"))


def _loaded() -> Iterator[Statement]:
    """Yield the statements about the effect of one long flow on a short one."""
    alone, beside = "3.5g-B-cubic", "3.5g-C-cubic-cubic"
    yield Statement(
        "3.5G: handshake beside a flow relative to alone", "section IV, figures 2b and 2c",
        "shifted rightwards", None, "", "ratio", HANDSHAKE, beside, alone, 1, 1, group="3.5g",
    )  # fmt: skip
    yield Statement(
        "3.5G: distance of a handshake from the median, beside a flow minus alone",
        "section IV, figures 2b and 2c", "widened", None, "ms", "difference", SPREAD, beside,
        alone, 1, 0, group="3.5g",
    )  # fmt: skip
    yield Statement(
        "3.5G: completion time beside a flow relative to alone", "section IV, figure 4a",
        "a large difference", None, "", "ratio", COMPLETION, beside, alone, 1, 1, group="3.5g",
    )  # fmt: skip
    yield Statement(
        "4G: handshake beside a flow relative to alone", "section IV, figures 3b and 3c",
        "largely insensitive: about 1", 1, "", "ratio", HANDSHAKE, "4g-C-cubic-cubic", "4g-B-cubic",
        group="4g", because=CODEL,
    )  # fmt: skip
    yield Statement(
        "4G: completion time beside a flow relative to alone", "section IV, figure 4b",
        "only a minor impact: about 1", 1, "", "ratio", COMPLETION, "4g-C-cubic-cubic",
        "4g-B-cubic",
        group="4g",
        because=CODEL,
    )  # fmt: skip


def _controls() -> Iterator[Statement]:
    yield Statement(
        "3.5G: completion time beside CUBIC, short NewReno flow relative to CUBIC",
        "section IV, figure 4a", "no significant impact: about 1", 1, "", "ratio", COMPLETION,
        "3.5g-C-reno-cubic", "3.5g-C-cubic-cubic", group="3.5g",
    )  # fmt: skip
    yield Statement(
        "3.5G: completion time beside a Westwood+ flow relative to CUBIC",
        "section IV, figure 4a", "Westwood+ creates less impact", None, "", "ratio", COMPLETION,
        "3.5g-C-cubic-westwood", "3.5g-C-cubic-cubic", -1, 1, group="3.5g",
    )  # fmt: skip
    for group in NETWORKS:
        yield Statement(
            f"{group.upper()}: retransmissions of a short flow alone (run B)", "section IV",
            "none", 0, "", "mean", LOSSES, f"{group}-B-*", group=group,
            because=DROPS if group == "4g" else "",
        )  # fmt: skip


CAMPAIGN = Campaign(
    study="eff14",
    section="section III",
    title="how efficient are short flows, alone and beside long ones?",
    arms=list(_arms()),
    whole=4,
    quick=1,
    exhibits=["fig1", "fig2", "fig3", "fig4", "table1", "fig5", "fig6", "fig6b"],
    statements=[*_efficiency.statements(), *_loaded(), *_controls(), *_table_1()],
    notes=[
        "Each replication is a run with a link of its own, drawn by its seed, because flows on one "
        "link are no independent samples; the paper's replications followed each other.",
        "Hosts run today's kernel, not 3.1 and 3.2: its windows open faster.",
        "Westwood+ is a BPF program made from the published algorithm.",
        "From few runs the interval of a 5th or a 95th percentile is open at one end (∞).",
    ],
    order=order,
    in_quick=in_quick,
)
