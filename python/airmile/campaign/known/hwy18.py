"""HWY18: CUBIC and BBR on a highway, with 40 iterations in each of six drives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from airmile.campaign.design import Arm, Campaign, Estimator, Rows, Statement
from airmile.store._definitions import USER_DATA
from airmile.study._cells import sinr_by_second

if TYPE_CHECKING:
    from airmile.store import Tables

STEPS = [
    {"name": "ping", "count": 3, "gap_s": 1, "pause_s": 3},
    {"name": "bulk_download", "bytes": 20_000_000},
]
"""The steps of a trial: three pings a second apart, 3 s of silence, 20 MB (section 3.2)."""

LINK = (
    "The link is a model of a drive: the paper's distances, cells and load are not published. "
    "Levels depend on that; comparisons of controls on one link do not."
)
ROAD = (
    "Cells, shadowing and the settings of event A3 are those of a model (methods H2), none of them "
    "fitted to this line: the paper publishes only the speed."
)
QUEUE = (
    "The queue of our link holds 2 MB and drops packets only when it is full; the paper's queue is "
    "not known. CUBIC lets such a queue grow, BBR limits what it has in flight."
)
LOSS = (
    "Our link loses packets only where a window fills its queue of 2 MB, which some downloads of "
    "20 MB by CUBIC never do; the paper's queue is not known."
)
WIRED = "The delay of the wired path is a setting of our link, not a finding."
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


def _modulated(modulation: str, sinr: str) -> Rows:
    """Return rows of the share of downlink blocks with a modulation, in seconds of such a SINR."""

    def rows(dataset: Tables) -> str:
        return f"""SELECT block.run, avg((modulation = '{modulation}')::INT) AS value
            FROM ttis AS block JOIN {sinr_by_second(dataset)} AS measured
                ON block.run = measured.run AND block."user" = measured."user"
                AND coalesce(block.carrier, 0) = measured.carrier
                AND time_ns // 1000000000 = second
            WHERE direction = 'downlink' AND {USER_DATA} AND modulation IS NOT NULL
                AND sinr_db {sinr}
            GROUP BY block.run"""

    return rows


def _road() -> Iterator[Statement]:
    """Yield the statements about the radio along the road."""
    for quantity, published, value, bound, condition in (
        ("with a handover or more", "35 %", 0.35, 0, "handovers >= 1"),
        ("with two handovers or more", "less than 4 %", 0.04, -1, "handovers >= 2"),
    ):
        yield Statement(
            f"downloads by CUBIC {quantity}", "section 5.5, figure 10", published, value, "of them",
            "share", _download(f"({condition})::INT"), "cubic", bound=bound, because=ROAD,
        )  # fmt: skip
    for spoken, condition in (("below 10 dB", "< 10"), ("of 20 dB or more", ">= 20")):
        yield Statement(
            f"downloads by CUBIC with a mean SINR {spoken}", "section 4, figure 3",
            "fairly uniform from 0 to 30 dB: a third", 1 / 3, "of them", "share",
            _download(f"(sinr_mean_db {condition})::INT"), "cubic", because=ROAD,
        )  # fmt: skip
    for modulation, spoken, published, least, sinr in (
        ("64QAM", "above 20 dB", "more than 90 %", 0.9, "> 20"),
        ("QPSK", "below 5 dB", "most", 0.5, "< 5"),
    ):
        yield Statement(
            f"blocks with {modulation} at a SINR {spoken}", "section 4, figure 4", published, least,
            "of them", "mean", _modulated(modulation, sinr), "cubic", bound=1, because=LINK,
        )  # fmt: skip
    yield Statement(
        "handshakes of 40 to 80 ms", "section 5.3, figure 8", "the bulk", 0.5, "of them", "share",
        _flows("(handshake_rtt_ms BETWEEN 40 AND 80)::INT"), "cubic", bound=1, because=WIRED,
    )  # fmt: skip


def _rates() -> Iterator[Statement]:
    """Yield the statements about the throughput of downloads of 20 MB."""
    where = "section 5.2, table 1"
    for arm, spoken, mean, median in (
        ("bbr", "BBR", 14.1, 11.6),
        ("cubic", "CUBIC", 13.0, 11.1),
        ("cubic3.19", "CUBIC of kernel 3.19", 14.0, 11.6),
    ):
        estimates: tuple[tuple[Estimator, float], ...] = (("mean", mean), ("median", median))
        for estimator, mbps in estimates:
            yield Statement(
                f"throughput of 20 MB by {spoken}, {estimator}", where, f"{mbps} Mbps", mbps,
                "Mbps", estimator, _download("rate_bps / 1e6"), arm, because=LINK,
            )  # fmt: skip
    for spoken, condition in (("below 7 Mbps", "< 7e6"), ("above 20 Mbps", "> 20e6")):
        yield Statement(
            f"downloads by CUBIC {spoken}", "section 5.2, figure 6", "about a quarter", 0.25,
            "of them", "share", _download(f"(rate_bps {condition})::INT"), "cubic", because=LINK,
        )  # fmt: skip
    yield from _by_sinr()


def _by_sinr() -> Iterator[Statement]:
    """Yield the statements that compare the throughput of BBR and CUBIC by SINR."""
    where, between = "section 5.4, figure 9", "(sinr_mean_db >= 20 AND sinr_mean_db < 25)"
    yield Statement(
        "throughput of 20 MB at 20 to 25 dB, BBR relative to CUBIC", where, "slightly higher", None,
        "", "ratio", f"{_download('rate_bps')} AND {between}", "bbr", "cubic", side=1, no_effect=1,
    )  # fmt: skip
    yield Statement(
        "throughput of 20 MB at all other SINRs, BBR relative to CUBIC", where,
        "comparable: about 1", 1, "", "ratio", f"{_download('rate_bps')} AND NOT {between}", "bbr",
        "cubic",
    )  # fmt: skip


def _first_megabyte() -> Iterator[Statement]:
    """Yield the levels of duplicate ACKs, and of the first 1 MB."""
    for arm, spoken, published, value, bound in (
        ("bbr", "BBR", "less than 1 %", 1, -1), ("cubic", "CUBIC", "about 5 to 10 %", 7.5, 0),
    ):  # fmt: skip
        yield Statement(
            f"duplicate ACKs among all ACKs by {spoken}", "section 1, figure 14", published, value,
            "%", "median", _flows("100 * dl_duplicate_acks / nullif(dl_acks, 0)"), arm, bound=bound,
            because=LOSS,
        )  # fmt: skip
    for arm, spoken, value in (("bbr", "BBR", 50), ("cubic", "CUBIC", 25)):
        yield Statement(
            f"self-inflicted delay of the first 1 MB by {spoken}", "section 5.6, figure 13",
            f"{value} ms", value, "ms", "median", _flows("first_self_inflicted_ms"), arm,
            because=QUEUE,
        )  # fmt: skip
    yield Statement(
        "highest throughput of the first 1 MB by BBR (95 % of them)", "section 5.2, figure 7",
        "12.5 Mbps or less", 12.5, "Mbps", "p95", _flows("first_bps / 1e6"), "bbr", bound=-1,
        because=LINK,
    )  # fmt: skip


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
        *_road(),
        *_rates(),
        *_first_megabyte(),
    ],
    notes=[
        "Each iteration is a run for each control on one link, from one seed, in rotating order, "
        "where the paper's three downloads of an iteration followed each other on the road: so the "
        "controls meet the same radio, and no 10 s pass between iterations.",
        "The drive is a model: 30 m/s past cells of 10 MHz, 1200 m apart and 100 m beside the "
        "road, from a random place on (methods H2).",
        STAND_IN + " The figures draw both as one curve, "
        "cubic, with twice the downloads of bbr.",
    ],
)  # fmt: skip
