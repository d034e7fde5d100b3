"""The link in virtual time, as Python sees it."""

from __future__ import annotations

import pytest

from airmile import UsageError
from airmile.testbed import simulate

QUIET = {"downlink": {"harq": {"failure": 0}, "rate": {"kind": "constant", "mbps": 12}}}


def test_a_packet_takes_the_path_a_tti_and_the_air() -> None:
    run = simulate(QUIET, [(300_000, "server", 1500, 1460)], ttis=50)
    at = {row["end"]: row["at_ns"] / 1e6 for row in run.deliveries.to_pylist()}
    # 10 ms of wired path to 10.3 ms; the TTI that begins at 11 ms; 5 ms on the air.
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
