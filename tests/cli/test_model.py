"""The command `airmile model`: its output and its errors."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from airmile.cli import _model_options
from airmile.model import BANDWIDTHS, TRANSPORTS
from airmile.model._rounds import Rounds
from tests.cli.conftest import Airmile


def test_the_options_name_what_the_model_knows() -> None:
    assert tuple(TRANSPORTS) == _model_options.TRANSPORTS
    assert tuple(BANDWIDTHS) == _model_options.BANDWIDTHS
    assert get_args(Rounds) == _model_options.RULES


def test_percentiles_have_no_interval_and_it_is_said(airmile: Airmile) -> None:
    said = airmile("model", "what-if", "--from", "eff14-4g", "--sizes", "2e4", "--quic")
    assert said.code == 0, said.err
    lines = [line for line in said.out.splitlines() if line.startswith("  QUIC")]
    assert lines and all(" unknown " in line for line in lines)
    assert "no interval" in said.out and "independent" not in said.out


def test_samples_have_one(airmile: Airmile, tmp_path: Path) -> None:
    (tmp_path / "drive.csv").write_text("rate_mbps,rtt_ms\n4,40\n6,50\n9,\n")
    said = airmile("model", "what-if", "--from", "drive.csv", "--sizes", "2e4", "--tfo", "--paired")
    assert said.code == 0, said.err
    (line,) = (line for line in said.out.splitlines() if "Fast Open, IW 10" in line)
    assert " to " in line and "unknown" not in line
    assert "independent" in said.out


def test_a_file_of_one_row_is_asked_for_other_values(airmile: Airmile, tmp_path: Path) -> None:
    for rows in ("20,40\n", "20,40\n20,50\n"):
        (tmp_path / "few.csv").write_text("rate_mbps,rtt_ms\n" + rows)
        said = airmile("model", "what-if", "--from", "few.csv", "--sizes", "2e4")
        assert said.code == 2
        assert "hint: give two or more values that differ" in said.err


def test_one_download_is_too_little_and_the_message_says_of_what(
    airmile: Airmile, link: Path
) -> None:
    said = airmile("model", "what-if", "--from", link)
    assert said.code == 2
    assert "only 1 TCP flow of more than 5 s and 1 MB downlink" in said.err
    assert "airmile analyze captures/ -o users.airmile" in said.err
    assert "only 1 handshake without other traffic of the phone" in said.err


def test_a_study_says_what_one_download_cannot_give(airmile: Airmile, link: Path) -> None:
    said = airmile("study", "eff14", link)
    assert said.code == 2
    text = " ".join(said.out.split())
    assert "only 1 TCP flow of more than 5 s and 1 MB downlink" in text
    assert "airmile analyze captures/ -o users.airmile" in text
