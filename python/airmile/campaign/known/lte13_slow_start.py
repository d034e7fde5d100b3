"""LTE13 section 5: one loss, with and without a timeout during its duplicate ACKs (methods H4)."""

from __future__ import annotations

from airmile.campaign.design import Arm, Campaign, Statement

EPISODE = """SELECT run, arg_max({column}, duplicate_acks) AS value
    FROM loss_episodes WHERE direction = 'downlink' GROUP BY run"""
"""SQL of a value of the loss episode with the longest train of duplicate ACKs."""

ROUND_TRIPS = """SELECT flows.run,
        max(dl_retransmission_rtt_max_ms) / arg_max(rtt_ms, duplicate_acks) AS value
    FROM flows JOIN loss_episodes USING (run, uid) WHERE direction = 'downlink'
    GROUP BY flows.run"""
"""SQL of the retransmission's round trip over the sender's smoothed one before the loss."""

TIMEOUTS = """SELECT run, max((ca_state = 4)::INT) AS value FROM truth_tcp
    WHERE place = 'server' GROUP BY run"""
"""SQL of whether a timeout sent the kernel's sender into slow start (ca_state 4): 1 or 0."""

WITHOUT_TIMEOUT = f"SELECT run, 1 - value AS value FROM ({TIMEOUTS})"
"""SQL of whether no timeout did so: 1 or 0."""

WHOLE_WINDOW = (
    "As its loss recovery ends, the sender sends a whole window of some 110 packets at once, which "
    "lies in the first 100 ms. The second 100 ms then have the rate of the link. Like the paper's "
    "1.0, this is below 1.5, from which on R_ss means a slow start."
)

ONE_FLOW = (
    "The paper prints one flow. R_ss counts how the window grows within 100 ms, and so depends on "
    "the round trip while it grows, which the paper does not print. No effect is 1.5, below which "
    "the paper sees no slow start."
)

ROUND_TRIP = (
    "the round trip of 53 ms without load is chosen so that a slow start gives 3.7; whether there "
    "is a slow start is tested below"
)

CAMPAIGN = Campaign(
    study="lte13",
    section="section 5",
    title="does one lost packet cause slow start although nothing else was lost?",
    arms=[
        Arm(
            name,
            "lte13_undesired_slow_start",
            {"workload.receive_buffer": receive_buffer},
            expected_s=6,
            megabytes=15,
        )
        for name, receive_buffer in (("growing", 500_000), ("steady", 131_800))
    ],
    whole=20,
    quick=16,
    exhibits=["fig14", "fig15", "fig16"],
    statements=[
        Statement(
            "R_ss if the queue grows during the duplicate ACKs", "section 5, figure 16", "3.7",
            3.7, "", "median", EPISODE.format(column="rss_ratio"), "growing", side=1, no_effect=1.5,
            because=ONE_FLOW, set_by=ROUND_TRIP,
        ),
        Statement(
            "R_ss if the queue does not grow", "section 5, figure 15", "1.0", 1.0, "", "median",
            EPISODE.format(column="rss_ratio"), "steady", because=WHOLE_WINDOW,
        ),
        Statement(
            "round trip of the retransmitted packet relative to the one before",
            "section 5, figure 16", "356 and 262 ms", 356 / 262, "", "median",
            ROUND_TRIPS, "growing", side=1, no_effect=1,
        ),
        Statement(
            "runs whose sender the kernel sent into slow start, growing queue", "section 5",
            "the timeout comes first: all (1)", 1, "of them", "share", TIMEOUTS, "growing",
        ),
        Statement(
            "runs whose sender the kernel kept out of slow start, steady queue", "section 5",
            "no timeout: all (1)", 1, "of them", "share", WITHOUT_TIMEOUT, "steady",
        ),
    ],
    notes=[
        "Figure 14 in the paper is of the large flows of a live network. Here it shows the flows "
        "of these two settings together, each with one packet dropped on purpose.",
        "The paper shows one flow of each kind, found in live traffic. Here one packet is dropped "
        "on purpose, with 500 kB in flight, so that the queue grows during its duplicate ACKs, and "
        "with the 131 kB of LTE13's phones, so that it does not.",
        "The sender counts ACKs and has the least timeout of the figure's sender: a BPF program.",
    ],
)  # fmt: skip
