"""The README's commands run in their order, and print what the README shows."""

from __future__ import annotations

import gzip
import shlex
import shutil
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pyarrow as pa
import pytest

import airmile
from airmile.cli import run
from airmile.render import text
from tests.support import taps

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
EMU = ROOT / "tests" / "data" / "emu"

ELSEWHERE = ("live", "testbed", "doctor")
"""Subcommands that need a modem, root, or a whole machine, and are not run here."""

HOLDS = 4
"""The exit code if a condition of --fail-if holds."""

PHONE = EMU / "t01_downlink_queue"
USERS = (
    "t01_downlink_queue", "t05_slow_start", "t06_congestion_window", "t14_handshakes",
    "t16_periodic", "t20_parallel", "t22_dash",
)  # fmt: skip
"""Enough flows for the model to draw from."""

MS = 10**6


def test_the_answer_in_the_readme_is_that_of_the_demo(tmp_path: Path) -> None:
    capture = resources.files("airmile") / "demo" / "window.pcap.gz"
    dataset = airmile.analyze(str(capture), out=tmp_path / "window.airmile")
    shown = text.render(dataset.verdict, kept=False)
    assert f"```\n{shown}\n```" in README.read_text(), "put this into the README:\n" + shown


def test_the_commands_of_the_readme_run_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _provide()
    verbs = []
    for words in _commands():
        assert run(words) in (0, HOLDS if "--fail-if" in words else 0), words
        verbs.append(words[0])
    assert {"radio", "align", "model", "study", "compare", "plot", "query"} <= set(verbs)


def _commands() -> Iterator[list[str]]:
    """Yield the words after `airmile` in each line of the section "Use it"."""
    block = README.read_text().split("## Use it")[1].split("```")[1]
    for line in block.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["airmile"] and words[1] not in ELSEWHERE:
            yield words[1:]


def _provide() -> None:
    """Make the files that the README names."""
    phone, log = (
        gzip.decompress((PHONE / name).read_bytes()) for name in ("monitor.pcap.gz", "modem.csv.gz")
    )
    Path("phone.pcap").write_bytes(phone)
    Path("phone.qmdl").write_bytes(log)
    Path("tests/data/compare").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "data" / "compare" / "drives.csv", "tests/data/compare")
    Path("captures").mkdir()
    for each in USERS:
        shutil.copy(EMU / each / "monitor.pcap.gz", Path("captures") / f"{each}.pcap.gz")
    records = taps.read(Path("phone.pcap"))
    taps.write(Path("core.pcap"), taps.farther(records, lambda _: 8 * MS, lambda _: 12 * MS))
    with pa.CompressedOutputStream("capture.pcapng.zst", "zstd") as out:
        out.write(phone)
