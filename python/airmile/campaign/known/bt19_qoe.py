"""BT19 sections 5.2 and 5.3: 20 pairs of videos, and micro-fetches as a third arm."""

from airmile.campaign.design import Arm, Campaign, Statement
from airmile.campaign.known import _video

GAP_S = 0.1
"""The interval of the micro-fetches in s, below Linux's shortest retransmission timeout."""

CAMPAIGN = Campaign(
    study="bt19",
    section="sections 5.2 and 5.3",
    title="what do viewers gain without slow-start restart at a proxy?",
    arms=[
        Arm(name, "bt19_ports", settings, _video.EXPECTED_S, _video.MEGABYTES)
        for name, settings in (
            ("proxy", _video.port(80)),
            ("direct", _video.port(7777)),
            ("micro-fetch", {**_video.port(80), "workload.micro_fetch_gap_s": GAP_S}),
        )
    ],
    whole=20,
    quick=7,
    exhibits=["fig6", "fig7", "fig7b", "fig9b", "fig9c"],
    statements=[
        Statement(
            "bitrate past the proxy", "section 5.2, figure 9c", "35 % more (median of 20 runs)",
            0.35, "", "change", _video.clip("bitrate_bps"), "direct", "proxy", 1, 0,
            because=_video.NETWORKS,
        ),
        Statement(
            "time stalled past the proxy", "section 5.2, figure 9c", "50 % less", -0.5, "",
            "change", _video.clip("stalled_s"), "direct", "proxy", -1, 0,
            because=_video.NETWORKS,
        ),
        Statement(
            "switches of bitrate past the proxy", "section 5.2, figure 9c", "10 % fewer", -0.1, "",
            "change", _video.clip("switches"), "direct", "proxy", -1, 0,
            because=_video.NETWORKS,
        ),
        Statement(
            "link demand through the proxy, with micro-fetches relative to without", "section 5.3",
            "effectively disables the restart", None, "", "ratio", _video.link_demand,
            "micro-fetch", "proxy", 1, 1, truth=_video.TRUE_LINK_DEMAND, because=_video.NETWORKS,
        ),
        Statement(
            "bitrate with micro-fetches, through the proxy", "section 5.3 and abstract",
            "up to 35 % more", None, "", "change", _video.clip("bitrate_bps"), "micro-fetch",
            "proxy", 1, 0, because=_video.NETWORKS,
        ),
    ],
    notes=[
        _video.ESTIMATORS,
        "The videos of one seed are runs of their own on the same link with the same competitors, "
        "in rotating order; the paper's followed each other in a live cell.",
    ],
    # Stalls and bitrates differ late in a video, after the buffer was full: not in a short one.
    in_quick=lambda trial: trial.arm.name != "direct",
    short=_video.short(40),
)  # fmt: skip
