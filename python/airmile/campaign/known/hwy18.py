"""HWY18: CUBIC and BBR on a highway, with 40 iterations in each of six drives."""

from airmile.campaign.design import Arm, Campaign, Statement

STEPS = [
    {"name": "ping", "count": 3, "gap_s": 1, "pause_s": 3},
    {"name": "bulk_download", "bytes": 20_000_000},
]
"""The steps of a trial: three pings a second apart, 3 s of silence, 20 MB (section 3.2)."""

LINK = (
    "The link is a model of a drive: the paper's distances, cells and load are not published. "
    "Levels depend on that; comparisons of controls on one link do not."
)
BORDER = (
    "Each run begins abreast of a cell, and 20 s later the phone passes the border to the next, at "
    "the end of most downloads; there it may change to and fro. The paper's began anywhere."
)
QUEUE = (
    "The queue of our link holds 2 MB and drops packets only when it is full; the paper's queue is "
    "not known. CUBIC lets such a queue grow, BBR limits what it has in flight."
)
LOSS = (
    "Our link loses packets only where a window fills its queue of 2 MB, which some downloads of "
    "20 MB by CUBIC never do; the paper's queue is not known."
)
MARGIN = (
    "This line compares the ratio with that of the paper's means, 1.08. An interval that excludes "
    "1 is a difference here, though it lies within the margin."
)
STAND_IN = (
    "This machine runs one kernel. CUBIC of kernel 3.19 is replaced by today's CUBIC with the loss "
    "recovery of that time (tcp_recovery = 0: without RACK, RFC 8985)."
)


def _flows(column: str) -> str:
    """Return SQL for a value of each download of 20 MB."""
    return (
        f"SELECT run, {column} AS value FROM flows "
        "WHERE protocol = 'tcp' AND dl_payload_bytes >= 1000000"
    )


def _download(column: str) -> str:
    return f"SELECT run, {column} AS value FROM trials WHERE kind = 'download'"


CAMPAIGN = Campaign(
    study="hwy18",
    section="section 3",
    title="is BBR or CUBIC better while driving?",
    arms=[
        Arm(
            name,
            "hwy18_drive",
            {"workload": {"name": "sequence", "steps": STEPS}, **settings},
            expected_s=18,
            megabytes=20,
        )
        for name, settings in (
            ("bbr", {"hosts.server.congestion_control": "bbr"}),
            ("cubic", {"hosts.server.congestion_control": "cubic"}),
            (
                "cubic3.19",
                {
                    "hosts.server.congestion_control": "cubic",
                    "hosts.server.sysctls.net.ipv4.tcp_recovery": 0,
                },
            ),
        )
    ],
    whole=240,
    quick=6,
    exhibits=[
        "fig3", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11", "fig12", "fig13",
        "fig14", "fig15", "fig16", "fig17", "table1",
    ],
    statements=[
        Statement(
            "self-inflicted delay of BBR relative to CUBIC", "section 5.8", "about one third",
            1 / 3, "", "ratio", _flows("self_inflicted_delay_ms"), "bbr", "cubic", side=-1,
            no_effect=1, because=QUEUE,
        ),
        Statement(
            "throughput of the first 1 MB, BBR relative to CUBIC", "section 5.8",
            "about 50 % higher", 1.5, "", "ratio", _flows("first_bps"), "bbr", "cubic", side=1,
            no_effect=1,
        ),
        Statement(
            "self-inflicted delay of the first 1 MB, BBR relative to CUBIC", "section 5.8",
            "about 50 % higher", 1.5, "", "ratio", _flows("first_self_inflicted_ms"), "bbr",
            "cubic", side=1, no_effect=1,
        ),
        Statement(
            "throughput of 20 MB, BBR relative to CUBIC", "section 5.2, table 1",
            "14.1 and 13.0 Mbps, no significant difference", 14.1 / 13.0, "", "ratio",
            _download("rate_bps"), "bbr", "cubic", because=MARGIN,
        ),
        Statement(
            "throughput of 20 MB, CUBIC of kernel 3.19 relative to 4.8", "section 5.2, table 1",
            "14.0 and 13.0 Mbps, no significant difference", 14.0 / 13.0, "", "ratio",
            _download("rate_bps"), "cubic3.19", "cubic", because=STAND_IN,
        ),
        Statement(
            "duplicate ACKs among all ACKs, BBR minus CUBIC", "section 5.7, figure 14",
            "BBR has significantly fewer", None, "%", "difference",
            _flows("100 * dl_duplicate_acks / nullif(dl_acks, 0)"), "bbr", "cubic",
            side=-1, no_effect=0, because=LOSS,
        ),
        Statement(
            "retransmitted packets, BBR minus CUBIC", "section 5.7, figure 15",
            "BBR has significantly fewer", None, "%", "difference",
            _flows("100 * dl_retransmissions / nullif(dl_packets, 0)"), "bbr", "cubic",
            side=-1, no_effect=0, because=LOSS,
        ),
        Statement(
            "throughput of 20 MB by BBR", "section 5.2, table 1", "14.1 Mbps", 14.1, "Mbps", "mean",
            _download("rate_bps / 1e6"), "bbr", because=LINK,
        ),
        Statement(
            "throughput of 20 MB by CUBIC", "section 5.2, table 1", "13.0 Mbps", 13.0, "Mbps",
            "mean", _download("rate_bps / 1e6"), "cubic", because=LINK,
        ),
        Statement(
            "downloads by CUBIC with a handover or more", "section 5.5", "35 %", 0.35, "of them",
            "share", _download("(handovers >= 1)::INT"), "cubic", because=BORDER,
        ),
    ],
    notes=[
        "Each iteration is a run for each control on one link, from one seed, in rotating order, "
        "where the paper's three downloads of an iteration followed each other on the road: so the "
        "controls meet the same radio, and no 10 s pass between iterations.",
        "The drive is a model: 30 m/s past cells 1200 m apart, 10 MHz. Each run drives from "
        "abreast of one cell past the border to the next, so that the mean SINR of the downloads "
        "spreads less than on the paper's 400 miles.",
        STAND_IN + " The figures draw both as one curve, "
        "cubic, with twice the downloads of bbr.",
    ],
)  # fmt: skip
