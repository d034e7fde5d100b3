"""LTE13 section 7.2, figure 24: requests of 1 to 4 MB every 10 s leave the link idle."""

from __future__ import annotations

from airmile.campaign.design import Arm, Campaign, Statement

PERIOD = """SELECT run, (lead(request_ns) OVER (PARTITION BY run ORDER BY request_ns)
        - request_ns) / 1e9 AS value
    FROM transfers WHERE direction = 'downlink'"""

RESPONSE = """SELECT run, median(end_ns - request_ns) / 1e9 AS value
    FROM transfers WHERE direction = 'downlink' GROUP BY run"""

REUSE = """SELECT run, count(*) / count(DISTINCT uid) AS value
    FROM transfers WHERE direction = 'downlink' GROUP BY run"""

CAMPAIGN = Campaign(
    study="lte13",
    section="section 7.2",
    title="what do periodic requests leave of the link?",
    arms=[Arm("player", "lte13_periodic", {}, expected_s=35, megabytes=12)],
    whole=20,
    quick=10,
    exhibits=["fig24"],
    statements=[
        Statement(
            "time from one request to the next", "section 7.2, figure 24", "every 10 s", 10, "s",
            "mean", PERIOD, set_by="the player requests every 10 s",
        ),
        Statement(
            "time that a response takes, median", "section 7.2", "below 1 s", 1, "s", "mean",
            RESPONSE, bound=-1,
            set_by="1 to 4 MB at the 30 Mbit/s of the link take 0.3 to 1.1 s",
        ),
        Statement(
            "requests on one connection", "section 7.2", "2", 2, "", "mean", REUSE,
            set_by="the player makes two requests on each connection",
        ),
    ],
    notes=[
        "The player is a workload: period and size are as in the paper by construction. What is "
        "tested is whether the figures come back from the capture.",
    ],
)  # fmt: skip
