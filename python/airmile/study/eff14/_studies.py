"""EFF14's Table I: its own percentiles and those of other studies, with their errors.

The columns of other studies come from LTE13's Table 1, which EFF14 names as its source. In the
SpeedTest columns, headed "cellular", the round trips of New York and Manchester are LTE13's values
for WiFi. The remarks here give the cellular values, which are longer.
"""

from __future__ import annotations

from typing import NamedTuple

from airmile.model import PUBLISHED, Percentiles


class Study(NamedTuple):
    """One column of the table: a study with its percentiles."""

    name: str
    time: str
    location: str
    technology: str
    downlink_kbps: Percentiles
    rtt_ms: Percentiles
    remark: str = ""
    """A remark about the round trips, empty if there is none."""


_SPEEDTEST = ("Feb to Jun 2011", "cellular, most of it 3G")
_WIFI = "not cellular: LTE13 Table 1 has it as WiFi's; its cellular one is {:g} / {:g} / {:g}"


def _eff14(name: str, technology: str) -> Study:
    own = PUBLISHED[name]
    return Study(
        own.title, "Sep to Oct 2012", "Karlstad, Sweden", technology, own.downlink_kbps, own.rtt_ms
    )


STUDIES = (
    _eff14("eff14-3g", "3G"),
    _eff14("eff14-3.5g", "3.5G (HSPA+)"),
    _eff14("eff14-4g", "4G (LTE)"),
    Study(
        "LTE13", "Oct 2012", "one US metro area", "LTE",
        PUBLISHED["lte13"].downlink_kbps, PUBLISHED["lte13"].rtt_ms,
    ),
    Study(
        "3GTest, least of 4 carriers", "Aug to Dec 2009", "USA", "3G",
        Percentiles(74, 556, 1921), Percentiles(125, 160, 645),
    ),
    Study(
        "3GTest, most of 4 carriers", "Aug to Dec 2009", "USA", "3G",
        Percentiles(222, 970, 2943), Percentiles(182, 200, 809),
    ),
    Study(
        "4GTest", "Oct to Dec 2011", "USA", "LTE",
        Percentiles(2112, 12740, 30812), Percentiles(37, 70, 127),
    ),
    Study(
        "SpeedTest, New York", _SPEEDTEST[0], "New York", _SPEEDTEST[1],
        Percentiles(108, 1678, 12922), Percentiles(21, 54, 336), _WIFI.format(68, 159, 786),
    ),
    Study(
        "SpeedTest, Madison", _SPEEDTEST[0], "Madison, US", _SPEEDTEST[1],
        Percentiles(99, 895, 3485), Percentiles(99, 184, 773),
    ),
    Study(
        "SpeedTest, Manchester", _SPEEDTEST[0], "Manchester, UK", _SPEEDTEST[1],
        Percentiles(28, 1077, 3842), Percentiles(34, 92, 313), _WIFI.format(98, 221, 912),
    ),
)  # fmt: skip
"""The columns in the order of the table; 3GTest has the least and the most over carriers."""
