"""LTE13 section 7.2, figure 23: a player that reads slowly keeps a download from using the link."""

from __future__ import annotations

from airmile.campaign.design import Arm, Campaign, Statement

SECONDS = """SELECT slices.run, sum(bytes) * 8 / {seconds} / 1e6 AS value
    FROM slices JOIN (SELECT run, min(dl_first_payload_ns) AS first_ns FROM flows GROUP BY run)
        USING (run)
    WHERE direction = 'downlink' AND start_ns >= first_ns + {begin} * 1e9
        AND start_ns < first_ns + ({begin} + {seconds}) * 1e9
    GROUP BY slices.run"""
"""SQL of the throughput between two times of the download, in Mbps."""

CAMPAIGN = Campaign(
    study="lte13",
    section="section 7.2",
    title="does a full receive window keep a download from the link?",
    arms=[Arm("player", "lte13_slow_reader", {}, expected_s=32, megabytes=4)],
    whole=20,
    quick=10,
    exhibits=["fig23"],
    statements=[
        Statement(
            "throughput of the first 2 s", "section 7.2, figure 23", "over 3 Mbps", 3, "Mbps",
            "mean", SECONDS.format(begin=0, seconds=2), bound=1,
            set_by="the player reads the first 0.6 MB at once, and the link carries 3.5 Mbit/s",
        ),
        Statement(
            "throughput from 2 to 9 s", "section 7.2, figure 23", "less than 0.3 Mbps", 0.3, "Mbps",
            "mean", SECONDS.format(begin=2, seconds=7), bound=-1,
            set_by="the player then reads 300 kbit/s",
        ),
        Statement(
            "time until the connection is closed", "section 7.2, figure 23", "30 s", 30, "s",
            "mean", "SELECT run, duration_s AS value FROM flows WHERE dl_payload_bytes > 100000",
            set_by="the player reads its last bytes from 20 s on, and then waits for 6.5 s",
        ),
        Statement(
            "share of the transfer's time with a full or closed window, by airmile",
            "section 7.2", "the window is the bottleneck (above 0)", None, "", "mean",
            "SELECT run, window_full_s / duration_s AS value FROM flows "
            "WHERE dl_payload_bytes > 100000",
            side=1, no_effect=0,
            because="The paper names the window as the bottleneck and prints no share, so that "
            "there is only a direction to reproduce.",
            set_by="the player reads 300 kbit/s of a link of 3.5 Mbit/s, so that its window must "
            "fill",
        ),
    ],
    notes=["The paper shows one download of a player; here its reader is a workload."],
)  # fmt: skip
