"""The link in virtual time, as Python sees it."""

from __future__ import annotations

import pytest

from airmile import UsageError
from airmile.testbed import simulate

QUIET = {"downlink": {"harq": {"failure": 0}, "rate": {"kind": "constant", "mbps": 12}}}


def test_a_packet_takes_the_path_a_tti_and_the_air() -> None:
    run = simulate(QUIET, [(300_000, "server", 1500, 1460)], ttis=50)
    at = {row["end"]: row["at_ns"] / 1e6 for row in run.deliveries.to_pylist()}
    # The packet leaves the wired path at 10.3 ms, is sent in the TTI of 11 ms, and takes 5 ms.
    assert at == {"CoreWired": 10.3, "Phone": 16.0}


def test_the_rate_is_what_the_settings_say() -> None:
    packets = [(n * 500_000, "core_radio", 1500, 1460) for n in range(4_000)]
    run = simulate(QUIET, packets, ttis=2_000)
    served = sum(run.downlink["served_bytes"].to_pylist()[100:1_900])
    assert served * 8 / 1.8 == pytest.approx(12e6, rel=0.01)


def test_a_seed_gives_the_same_run() -> None:
    fading = {"kind": "sinr", "sinr": {"kind": "ar1", "mean_db": 10, "sigma_db": 5, "tau_ms": 100}}
    packets = [(n * 1_000_000, "server", 1500, 1460) for n in range(500)]
    link = {"seed": 7, "downlink": {"rate": fading}}
    assert simulate(link, packets, ttis=700) == simulate(link, packets, ttis=700)
    other = simulate({**link, "seed": 8}, packets, ttis=700)
    assert other.downlink != simulate(link, packets, ttis=700).downlink


def test_an_unknown_end_is_named() -> None:
    with pytest.raises(UsageError, match="arrival 0: no end of a link is called sky"):
        simulate({}, [(0, "sky", 1500, 1460)], ttis=1)


@pytest.mark.parametrize(
    ("packets", "problem"),
    [
        ([(5, "server", 100, 60), (4, "server", 100, 60)], "arrival 1: 4 ns is before 5 ns"),
        ([(-1, "phone", 100, 60)], "arrival 0: -1 ns is before 0 ns"),
        ([(0, "server", 100, 60), (0, "phone", 0, 0)], "arrival 1: 0 bytes"),
        ([(0, "core_radio", 4001, 60)], "arrival 0: 4001 bytes; .* the 4000 that its queue holds"),
    ],
)
def test_an_arrival_that_cannot_be_played_is_named(
    packets: list[tuple[int, str, int, int]], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        simulate({"downlink": {"queue": {"bytes": 4000}}}, packets, ttis=1)


def test_a_drive_on_the_uplink_is_sent_to_the_downlink() -> None:
    drive = {"kind": "sinr", "sinr": {"kind": "drive"}}
    assert simulate({"downlink": {"rate": drive}}, [], ttis=1).downlink.num_rows == 1
    with pytest.raises(UsageError, match=r"uplink\.rate\.sinr: a drive is the downlink's.*put it"):
        simulate({"uplink": {"rate": drive}}, [], ttis=1)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"downlink": {"prbs": "fifty"}}, r"link\.downlink\.prbs: invalid type: string"),
        ({"downlink": {"rate": {"kind": "x"}}}, r"link\.downlink\.rate.*unknown variant `x`"),
        ({"handovers": [{}]}, r"link\.handovers\[0\]: missing field `at_ms`$"),
    ],
)
def test_a_wrong_setting_is_reported_with_its_key(link: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulate(link, [], ttis=1)


def test_negative_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="ttis = -1"):
        simulate({}, [], ttis=-1)
    with pytest.raises(UsageError, match="negative size"):
        simulate({}, [(0, "phone", -5, 0)], ttis=1)
