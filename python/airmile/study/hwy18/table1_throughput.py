"""Table 1: mean, median and confidence interval of throughput by congestion control."""

from __future__ import annotations

from airmile.study.hwy18 import _summary

table1 = _summary.exhibit(
    "table1",
    "section 5.2",
    "Throughput by congestion control",
    ("bps", "self_inflicted_delay_ms"),
    {"bbr": "14.1 +/- 9.5; 11.6 Mbps", "cubic": "13.0 +/- 7.8; 11.1 Mbps"},
    caption=(
        "Mean with standard deviation, median and 95 % interval of throughput by the sender's "
        "congestion control. The paper's printed intervals are narrower than its deviations "
        "allow, so that nothing is calibrated to them (methods I3)."
    ),
)  # fmt: skip
