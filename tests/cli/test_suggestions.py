"""Every command that an answer suggests can be run as it is printed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import WINDOW, Airmile

NAMES = ("phone.pcap.gz", "a b.pcap.gz", "it's $HOME.pcap.gz", "-x.pcap.gz", "tab\there.pcap.gz")


def pasted(text: str, folder: Path) -> list[str]:
    """Run each line that begins with `airmile` in a shell, and return these lines."""
    commands = [line.strip() for line in text.splitlines() if line.strip().startswith("airmile ")]
    for command in commands:
        script = f"airmile() {{ '{sys.executable}' -m airmile \"$@\"; }}\n{command}"
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, capture_output=True, env=os.environ, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
    return commands


@pytest.mark.parametrize("name", NAMES)
def test_what_a_verdict_suggests_runs_whatever_the_capture_is_called(
    airmile: Airmile, tmp_path: Path, name: str
) -> None:
    pytest.importorskip("matplotlib")
    shutil.copy(WINDOW, tmp_path / name)
    said = airmile("analyze", f"./{name}")
    assert said.code == 0, said.err
    assert [command.split()[1] for command in pasted(said.out, tmp_path)] == ["query", "plot"]


def test_a_picture_is_suggested_only_where_the_packets_are(
    airmile: Airmile, tmp_path: Path
) -> None:
    said = airmile("analyze", "-", stdin=WINDOW.read_bytes())
    assert [command.split()[1] for command in pasted(said.out, tmp_path)] == ["query"]
    shutil.copy(WINDOW, tmp_path / "c.pcap.gz")
    assert "airmile plot" in airmile("c.pcap.gz").out
    (tmp_path / "c.pcap.gz").unlink()
    assert "airmile plot" not in airmile("c.airmile").out
