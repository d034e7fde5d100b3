"""BT19 section 5.1: a video over ports 80, 443 and 7777; a proxy handles the first two."""

from airmile.campaign.design import Arm, Campaign, Statement
from airmile.campaign.known import _video

CAMPAIGN = Campaign(
    study="bt19",
    section="section 5.1",
    title="does a proxy on the standard ports keep a video from using the link?",
    arms=[
        Arm(f"port{number}", "bt19_ports", _video.port(number), _video.EXPECTED_S, _video.MEGABYTES)
        for number in (80, 443, 7777)
    ],
    whole=25,
    quick=7,
    exhibits=["fig6", "fig7", "fig7b", "fig8", "fig9"],
    statements=[
        Statement(
            "link demand of a video on port 7777 relative to port 80", "figure 9",
            "40 % more link utilization", 1.4, "", "ratio", _video.link_demand, "port7777",
            "port80", 1, 1, truth=_video.TRUE_LINK_DEMAND, because=_video.NETWORKS,
        ),
        Statement(
            "link demand of a video on port 7777 relative to port 443", "figure 9",
            "40 % more link utilization", 1.4, "", "ratio", _video.link_demand, "port7777",
            "port443", 1, 1, truth=_video.TRUE_LINK_DEMAND, because=_video.NETWORKS,
        ),
        Statement(
            "link demand on port 7777 relative to port 80, by the paper's rule", "figure 9",
            "40 % more link utilization", 1.4, "", "ratio", _video.link_demand_by_the_paper,
            "port7777", "port80", 1, 1, truth=_video.TRUE_LINK_DEMAND, because=_video.BY_THE_PAPER,
        ),
        Statement(
            "link demand of a video through the proxy (80, 443)", "section 5.1", "50 to 70 %", 0.6,
            "", "mean", _video.link_demand, "port[48]*", truth=_video.TRUE_LINK_DEMAND,
            because=_video.NETWORKS,
        ),
        Statement(
            "link demand of a video past the proxy (7777)", "section 5.1", "80 % and more", 0.8, "",
            "mean", _video.link_demand, "port7777", bound=1, truth=_video.TRUE_LINK_DEMAND,
            because=_video.NETWORKS,
        ),
    ],
    notes=[
        _video.ESTIMATORS,
        "One network, where the paper measured three carriers. The videos of one seed are runs of "
        "their own on the same link with the same competitors, in rotating order.",
    ],
    in_quick=lambda trial: trial.arm.name != "port443",
    short=_video.short(40),
)  # fmt: skip
