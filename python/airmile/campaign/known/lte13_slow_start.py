"""LTE13 section 5: one loss, with a timeout during its duplicate ACKs, and without."""

from __future__ import annotations

from airmile.campaign.design import Arm, Campaign, Statement

EPISODE = """SELECT run, arg_max({column}, duplicate_acks) AS value
    FROM loss_episodes WHERE direction = 'downlink' GROUP BY run"""
"""A value of the loss episode with the longest train of duplicate ACKs."""

ROUND_TRIPS = """SELECT flows.run,
        max(dl_retransmission_rtt_max_ms) / arg_max(rtt_ms, duplicate_acks) AS value
    FROM flows JOIN loss_episodes USING (run, uid) WHERE direction = 'downlink'
    GROUP BY flows.run"""
"""The round trip of the retransmitted packet over the sender's smoothed one before its loss."""

TIMEOUTS = """SELECT run, max((ca_state = 4)::INT) AS value FROM truth_tcp
    WHERE place = 'server' GROUP BY run"""
"""Whether the kernel's sender went into slow start by a timeout (ca_state 4)."""

WITHOUT_TIMEOUT = f"SELECT run, 1 - value AS value FROM ({TIMEOUTS})"
"""Whether it did not."""

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
    quick=13,
    exhibits=["fig14", "fig15", "fig16"],
    statements=[
        Statement(
            "R_ss where the queue grows during the train", "section 5, figure 16", "3.7", 3.7, "",
            "median", EPISODE.format(column="rss_ratio"), "growing", side=1, no_effect=1.5,
        ),
        Statement(
            "R_ss where it does not", "section 5, figure 15", "1.0", 1.0, "", "median",
            EPISODE.format(column="rss_ratio"), "steady",
        ),
        Statement(
            "round trip of the retransmitted packet, of that before the train",
            "section 5, figure 16", "356 and 262 ms", 356 / 262, "", "median",
            ROUND_TRIPS, "growing", side=1, no_effect=1,
        ),
        Statement(
            "runs whose sender the kernel sent into slow start, growing queue", "section 5",
            "the timeout comes first (1)", 1, "of them", "share", TIMEOUTS, "growing",
        ),
        Statement(
            "runs whose sender the kernel kept out of slow start, steady queue", "section 5",
            "it comes too late (1)", 1, "of them", "share", WITHOUT_TIMEOUT, "steady",
        ),
    ],
    notes=[
        "The paper shows one flow of each kind, found in live traffic. Here one packet is dropped "
        "on purpose, with 500 kB in flight, so that the queue grows during its duplicate ACKs, and "
        "with the 131 kB of LTE13's phones, so that it does not.",
        "The sender counts ACKs and has the least timeout of the figure's sender: a BPF program.",
    ],
)  # fmt: skip
