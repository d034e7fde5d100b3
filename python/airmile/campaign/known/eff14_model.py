"""EFF14 section V: completion times of real short flows against the paper's formula 1.

The link has the rate and the round trip of the example of methods I1, at which the two ways of
counting rounds differ by one. Each further arm switches off one effect that the formula leaves out,
and `wired` all of them. Without grants, a fixed delay takes the place of their mean wait, so that
the formula gets the same round trip. `4g` has the links of EFF14's 4G instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from airmile._words import size as written
from airmile.campaign.design import Arm, Campaign, Statement
from airmile.study.eff14._model_flows import BASE, Rows, flows

if TYPE_CHECKING:
    from airmile.store import Tables

SIZES = (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
"""In bytes; each is downloaded once in a run, on a connection of its own."""

LARGE = SIZES[-3:]
"""Those whose idle rounds the link bounds, so that the two ways of counting them differ."""

SOME = (SIZES[0], SIZES[3], SIZES[-1])

WORKLOAD = {
    "name": "sequence",
    "steps": [
        {"name": "short_flows", "count": 1, "least_bytes": size, "most_bytes": size}
        for size in SIZES
    ],
}

PATH_MS = 7.0
"""The wired path in each direction: with 12 ms of air and a grant, a round trip of 40 ms."""

GRANT_MS = 12.5
"""The mean wait for the first grant of the preset: 4.5 ms for the next opportunity to request one
(every 10 ms), 4 ms until it is answered, 4 TTIs until it may be used."""

NO_HARQ = {"link.downlink.harq.failure": 0, "link.uplink.harq.failure": 0}
NO_GRANTS = {"link.uplink.grants": None, "link.path_uplink.delay_ms": PATH_MS + GRANT_MS}
NO_HYSTART = {"hosts.server.congestion_control": "reno"}
"""In slow start Reno grows as CUBIC does, but without HyStart, with which Linux's CUBIC may end it
before anything is lost."""

PATH = {"link.path_downlink.delay_ms": PATH_MS, "link.path_uplink.delay_ms": PATH_MS}

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    BASE: PATH,
    f"{BASE}-no-harq": {**PATH, **NO_HARQ},
    f"{BASE}-no-grants": {**PATH, **NO_GRANTS},
    f"{BASE}-no-hystart": {**PATH, **NO_HYSTART},
    f"{BASE}-wired": {**PATH, **NO_HARQ, **NO_GRANTS, **NO_HYSTART},
    "4g": {"network": "lte"},
}
"""What is set in each arm, besides the workload and the initial window."""

EFFECTS = {
    "no-harq": "HARQ retransmissions",
    "no-grants": "waits for grants",
    "no-hystart": "HyStart",
    "wired": "all three",
}
"""What each arm switches off."""

RULES = {"eff14": "formula 1", "exact": "the exact rule"}
"""The two ways of counting rounds in words."""


def _ratio(size: int, rule: str) -> Callable[[Tables], Iterator[dict[str, Any]]]:
    """Return the rows of measured over predicted completion times of a size."""

    def rows(dataset: Tables) -> Iterator[dict[str, Any]]:
        for each in _flows(dataset):
            if each["requested_bytes"] == size:
                yield {"run": each["run"], "value": each["measured_s"] / each[f"{rule}_s"]}

    return rows


@lru_cache(maxsize=1)
def _flows(dataset: Tables) -> Rows:
    """Return the flows of all runs; all statements share them."""
    return flows(dataset)


def _by_size(arm: str, rule: str, sizes: tuple[int, ...]) -> Iterator[Statement]:
    for size in sizes:
        yield Statement(
            f"{arm}, {written(size)}: time, of that by {RULES[rule]}", "section V, formula 1",
            "the formula (1)", 1, "", "median", _ratio(size, rule), arm,
        )  # fmt: skip


def _by_effect() -> Iterator[Statement]:
    for arm, effect in EFFECTS.items():
        for size in SOME:
            yield Statement(
                f"{written(size)}, {effect}: with, of without", "section V, formula 1",
                "the formula has no term for it (1)", 1, "", "ratio", _ratio(size, "exact"),
                BASE, f"{BASE}-{arm}",
            )  # fmt: skip


CAMPAIGN = Campaign(
    study="eff14",
    section="section V",
    title="how exactly does formula 1 predict the completion times of real short flows?",
    arms=[
        Arm(
            name,
            "short_flows",
            {"workload": WORKLOAD, "hosts.server.initial_window": 10, **settings},
            expected_s=4 if name == "4g" else 3,
            megabytes=5,
        )
        for name, settings in SETTINGS.items()
    ],
    whole=20,
    quick=12,
    exhibits=["model"],
    statements=[
        *_by_size(BASE, "eff14", SIZES),
        *_by_size(BASE, "exact", LARGE),
        *_by_size("4g", "eff14", SOME),
        *_by_size(f"{BASE}-wired", "eff14", LARGE),
        *_by_size(f"{BASE}-wired", "exact", LARGE),
        *_by_effect(),
    ],
    notes=[
        "The paper does not compare its formula with measured flows; the published value is the "
        "formula itself.",
        "The formula gets the parameters of each run: the round trip of the flow's own handshake, "
        "the initial window and the segment of the kernel's socket, the rate of the link.",
        "Delayed ACKs cannot be switched off: what they cost remains in the arm without the "
        "other effects.",
        "The testbed's server sends the head of its answer as a segment of its own, so that three "
        "windows hold a little less than 100 KB: the last bytes wait for a round trip more.",
    ],
    in_quick=lambda trial: trial.arm.name in (BASE, f"{BASE}-wired", "4g"),
)  # fmt: skip
