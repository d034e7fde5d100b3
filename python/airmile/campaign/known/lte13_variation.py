"""LTE13 section 6.3: how much of a changing bandwidth TCP uses, by round trip and variation."""

from __future__ import annotations

from airmile.campaign.design import Arm, Campaign, Statement

VARIATIONS = {
    "little": [10, 13, 9, 11, 8, 12, 10, 7, 11, 9],
    "much": [10, 19, 3, 12, 1, 17, 8, 2, 18, 10],
}
"""The bandwidths in Mbit/s, each for 500 ms; both series have a mean of 10 Mbit/s."""

DELAYS_MS = (5, 65, 165, 365, 565)
"""The delays in ms that are added to a round trip of about 40 ms."""

OURS = """SELECT run, utilisation_ratio AS value FROM flows WHERE dl_payload_bytes >= 1000000"""

TRUTH = """SELECT run, sum(served_bytes) / sum(available_bytes) AS value
    FROM truth_ttis JOIN (
        SELECT run, min(start_ns) AS first_ns, max(end_ns) AS last_ns
        FROM trials WHERE kind = 'download' GROUP BY run) USING (run)
    WHERE direction = 'downlink' AND time_ns BETWEEN first_ns AND last_ns GROUP BY run"""

WINDOW = (
    "the receive window of 131 kB, that of the paper's phones (section 7.2), carries at most {} "
    "Mbit/s of the 10 at this round trip"
)

RULE = "airmile's rule of use (methods E4) gives no figure where it does not see a standing queue."

CAMPAIGN = Campaign(
    study="lte13",
    section="section 6.3",
    title="how much of a changing bandwidth does TCP use?",
    arms=[
        Arm(
            f"{variation}-{delay_ms + 40}ms",
            "lte13_utilisation",
            {
                "link.path_downlink.delay_ms": delay_ms,
                "link.downlink.rate": {"kind": "steps", "hold_ms": 500, "mbps": steps},
            },
            expected_s=16,
            megabytes=12,
        )
        for variation, steps in VARIATIONS.items()
        for delay_ms in DELAYS_MS
    ],
    whole=10,
    quick=10,
    exhibits=["utilisation", "fig21", "fig22"],
    statements=[
        Statement(
            "use of the link at a round trip of some 45 ms", "section 6.3", "over 95 %", 0.95, "",
            "mean", TRUTH, "*-45ms", bound=1,
        ),
        Statement(
            "use of the link at a round trip of some 405 ms", "section 6.3", "below 50 %", 0.5, "",
            "mean", TRUTH, "*-405ms", bound=-1, set_by=WINDOW.format("2.6"),
        ),
        Statement(
            "use of the link at a round trip of some 605 ms", "section 6.3", "below 50 %", 0.5, "",
            "mean", TRUTH, "*-605ms", bound=-1, set_by=WINDOW.format("1.7"),
        ),
        Statement(
            "use at 605 ms minus use at 45 ms", "section 6.3", "large round trips degrade it",
            None, "", "difference", TRUTH, "*-605ms", "*-45ms", -1, 0,
            set_by=WINDOW.format("1.7"),
        ),
        Statement(
            "use with much variation minus use with little", "section 6.3",
            "higher variation leads to lower use", None, "", "difference", TRUTH, "much-*",
            "little-*", -1, 0,
        ),
        Statement(
            "airmile's estimate of use: much variation minus little", "section 6.3",
            "higher variation leads to lower use", None, "", "difference", OURS, "much-*",
            "little-*", -1, 0, because=RULE,
        ),
    ],
    notes=[
        "The paper shaped packets after bandwidths seen in LTE, which it does not give; here are "
        "two series with a mean of 10 Mbit/s, one of little and one of much variation.",
        "Use is what the link carried over what it could have carried, from the first request to "
        "the last byte; each download lasts 15 s.",
        "Figures 21 and 22 in the paper are of the flows of a live network; here they are of these "
        "downloads.",
    ],
    in_quick=lambda trial: trial.arm.name.endswith("-45ms"),
)  # fmt: skip
