"""Bad input gives an error that names the argument, file or cell, and what it must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from airmile import AirmileError, InputError, UsageError
from airmile.model import (
    Density,
    Inputs,
    Scenario,
    completion_time,
    efficiency,
    monte_carlo,
    optimal_time,
    read,
    what_if,
)
from airmile.model import rounds as rounds_
from airmile.model.transports import named
from tests.support import made

GOOD: dict[str, Any] = {"size_bytes": 1e5, "rate_bps": 1e7, "rtt_s": 0.05}

ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"size_bytes": 0}, "size_bytes is 0"),
    ({"size_bytes": -1}, "size_bytes is -1"),
    ({"size_bytes": np.nan}, "size_bytes is nan"),
    ({"size_bytes": np.inf}, "size_bytes is inf"),
    ({"size_bytes": [1, 2, 0]}, r"size_bytes\[2\] is 0"),
    ({"size_bytes": None}, "size_bytes: None is not a number of bytes"),
    ({"size_bytes": "much"}, "size_bytes: 'much' is not a number of bytes"),
    ({"size_bytes": [[1, 2], [3]]}, "size_bytes: .* is not a number"),
    ({"rate_bps": 0}, "rate_bps is 0"),
    ({"rate_bps": -5e6}, r"rate_bps is -5e\+06"),
    ({"rate_bps": [[1e6, np.nan]]}, r"rate_bps\[0, 1\] is nan"),
    ({"rate_bps": -np.inf}, "rate_bps is -inf"),
    ({"rtt_s": -0.001}, "rtt_s is -0.001"),
    ({"rtt_s": np.nan}, "rtt_s is nan"),
    ({"rtt_s": np.inf}, "rtt_s is inf"),
    ({"unloaded_rtt_s": -1}, "unloaded_rtt_s is -1"),
    ({"initial_window": 0}, "initial_window is 0"),
    ({"initial_window": 0.5}, "initial_window is 0.5"),
    ({"initial_window": np.inf}, "initial_window is inf"),
    ({"segment_bytes": 0}, "segment_bytes is 0"),
    ({"flows": 0}, "flows is 0"),
    ({"flows": np.nan}, "flows is nan"),
    ({"loss_ratio": -0.1}, "loss_ratio is -0.1"),
    ({"loss_ratio": 0.5}, "loss_ratio is 0.5"),
    ({"loss_ratio": np.nan}, "loss_ratio is nan"),
    ({"rounds": "roughly"}, "rounds='roughly'"),
    ({"rounds": None}, "rounds=None"),
    ({"transport": "sctp"}, "transport='sctp'"),
    ({"window": 10}, "window: there is no such argument"),
    ({"size_bytes": [1, 2, 3], "rtt_s": [1, 2]}, r"size_bytes \(3,\), rtt_s \(2,\)"),
]


@pytest.mark.parametrize(("bad", "says"), ARGUMENTS, ids=[says for _, says in ARGUMENTS])
def test_the_error_names_the_argument(bad: dict[str, Any], says: str) -> None:
    for function in (completion_time, optimal_time, efficiency, rounds_):
        with pytest.raises(UsageError, match=says) as caught:
            function(**{**GOOD, **bad})
        assert caught.value.hint or "not a number" in caught.value.message


SAMPLES: list[tuple[dict[str, Any], str]] = [
    ({"rates_bps": [1e6]}, "rates_bps: 1 sample; a density takes 2"),
    ({"rates_bps": []}, "rates_bps: 0 samples; a density takes 2"),
    ({"rates_bps": [1e6, 1e6]}, r"rates_bps: all 2 samples are 1e\+06"),
    ({"rates_bps": [1e6, np.nan]}, r"rates_bps\[1\] is nan"),
    ({"rates_bps": [1e6, 0]}, r"rates_bps\[1\] is 0"),
    ({"rates_bps": [-1e6, 1e6]}, r"rates_bps\[0\] is -1e\+06"),
    ({"rates_bps": [1e6, np.inf]}, r"rates_bps\[1\] is inf"),
    ({"rtts_s": 0.05}, "rtts_s: 1 sample"),
    ({"rtts_s": [0.05, 0.05, 0.05]}, "rtts_s: all 3 samples are 0.05"),
    ({"rtts_s": [0.05, -0.05]}, r"rtts_s\[1\] is -0.05"),
    ({"loaded_rtts_s": [0.1]}, "loaded_rtts_s: 1 sample"),
    ({"loaded_rtts_s": [0.1, np.nan]}, r"loaded_rtts_s\[1\] is nan"),
    ({"sizes_bytes": []}, "sizes_bytes is empty"),
    ({"sizes_bytes": [1e3, 0]}, r"sizes_bytes\[1\] is 0"),
    ({"sizes_bytes": "large"}, "sizes_bytes: 'large' is not a number of bytes"),
    ({"draws": 0}, "draws is 0"),
    ({"draws": 10.5}, "draws is 10.5"),
    ({"seed": -1}, "seed is -1"),
    ({"seed": "x"}, "seed is 'x'"),
    ({"bandwidth": "wide"}, "bandwidth='wide'"),
    ({"paired": True, "rtts_s": [0.1, 0.2, 0.3]}, "paired: 2 rates_bps, but 3 rtts_s"),
    ({"transport": "sctp"}, "transport='sctp'"),
    ({"loaded_rtts_s": [0.1, 0.2], "unloaded_rtt_s": 0.05}, "loaded_rtts_s are both given"),
    ({"windows": 10}, "windows: there is no such argument"),
    ({"initial_window": [10, 20, 30]}, "shapes that do not broadcast: .*initial_window"),
]


@pytest.mark.parametrize(("bad", "says"), SAMPLES, ids=[says for _, says in SAMPLES])
def test_the_error_names_the_samples(bad: dict[str, Any], says: str) -> None:
    good = {"rates_bps": [1e6, 2e6], "rtts_s": [0.05, 0.06], "sizes_bytes": [1e3], "draws": 10}
    with pytest.raises(UsageError, match=says) as caught:
        monte_carlo(**{**good, **bad})
    assert caught.value.hint or "not a number" in caught.value.message


@pytest.mark.parametrize("name", ["seed", "draws"])
def test_a_comparison_takes_no_negative_seed_or_number_of_draws(name: str) -> None:
    samples = np.array([1.0, 2.0])
    inputs = Inputs("two", 1e6 * samples, 0.05 * samples, sizes_bytes=1e4 * samples)
    given: dict[str, Any] = {name: -1}
    with pytest.raises(UsageError, match=f"{name} is -1"):
        what_if(inputs, [Scenario()], **given)


FILES: list[tuple[bytes, type[AirmileError], str]] = [
    (b"", UsageError, "no known column"),
    (b"speed,delay\n1,2\n", UsageError, "no known column"),
    (b"rate_mbps;rtt_ms\n1;2\n", UsageError, "no known column among 'rate_mbps;rtt_ms'"),
    (b"rate_mbps\nfast\n", UsageError, ":2: rate_mbps is 'fast'"),
    (b"rate_mbps,rtt_ms\n5,50\n6,0\n", UsageError, ":3: rtt_ms is '0'"),
    (b"rtt_s\n-0.1\n", UsageError, ":2: rtt_s is '-0.1'"),
    (b"rtt_s\nnan\n", UsageError, ":2: rtt_s is 'nan'"),
    (b"size_bytes\ninf\n", UsageError, ":2: size_bytes is 'inf'"),
    (b"rtt_ms,rtt_s\n50,0.05\n", UsageError, "rtt_ms and rtt_s both give the rtt"),
    (b"rtt_ms,rtt_ms\n50,60\n", UsageError, "rtt_ms and rtt_ms both give the rtt"),
    (b"rate_mbps,rtt_ms\n5,50\n6,5,60\n", UsageError, ":3 has more cells than the first line"),
    (b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe", InputError, "can't decode"),
    ("rtt_ms\n50\n".encode("utf-16"), InputError, "can't decode"),
    (b"\x00" * 64, UsageError, "no known column"),
]


@pytest.mark.parametrize(
    ("content", "kind", "says"), FILES, ids=[repr(c)[:40] for c, _, _ in FILES]
)
def test_the_error_names_file_line_and_column(
    tmp_path: Path, content: bytes, kind: type[AirmileError], says: str
) -> None:
    path = tmp_path / "samples.csv"
    path.write_bytes(content)
    with pytest.raises(kind, match=says) as caught:
        read(path)
    assert str(path) in caught.value.message
    assert caught.value.hint


def test_the_error_on_a_capture_names_analyze(tmp_path: Path) -> None:
    path = tmp_path / "phone.pcap.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(InputError) as caught:
        read(path)
    assert "airmile analyze CAPTURE" in (caught.value.hint or "")


def test_a_file_of_a_header_alone_has_no_samples(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    path.write_text("rate_mbps,rtt_ms\n")
    with pytest.raises(UsageError, match=r"(?m)no throughput$") as caught:
        read(path).group("rates_bps")
    assert str(path) in caught.value.message


def test_what_a_file_says_is_read_in_its_units(tmp_path: Path) -> None:
    path = tmp_path / "samples.TSV"
    path.write_text("\ufeffrate_mbps\trtt_ms\tsize_bytes\tnote\n5\t50\t1000\tx\n\t60\t\t\n7\n")
    inputs = read(path)
    assert inputs.rates_bps.tolist() == [5e6, 7e6]
    assert inputs.rtts_s == pytest.approx([0.05, 0.06])
    assert inputs.sizes_bytes.tolist() == [1000]
    assert inputs.rate_of_rtt_bps[0] == 5e6
    assert np.isnan(inputs.rate_of_rtt_bps[1])
    assert [note.split(": ")[-1] for note in inputs.notes] == [
        "rates in 2 rows, median 6 Mbps",
        "round trips in 2 rows, median 55 ms",
    ]


def test_names_of_columns_may_have_capitals_and_blanks(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    path.write_text("Rate_Mbps, RTT_ms\n5, 50\n")
    assert read(path).rtts_s == pytest.approx([0.05])


def test_an_unknown_source_is_distinguished_from_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a dataset, nor a CSV file") as caught:
        read("eff14-5g")
    assert "eff14-4g" in (caught.value.hint or "")
    with pytest.raises(InputError, match=r"absent\.csv"):
        read(tmp_path / "absent.csv")
    with pytest.raises(InputError, match=str(tmp_path)):
        read(tmp_path)


def test_a_direction_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="direction='sideways'"):
        read(made.dataset(tmp_path / "d", flows=[]), direction="sideways")


def test_a_density_and_a_transport_name_what_is_wrong() -> None:
    with pytest.raises(UsageError, match="samples: 1 sample"):
        Density.of([40.0])
    with pytest.raises(UsageError, match="transport='ip'"):
        named("ip")
