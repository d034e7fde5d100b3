"""Runs the command line as users do, and keeps what it said."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

EMU = Path(__file__).parents[1] / "data" / "emu"
LINK = EMU / "a_link_cubic" / "monitor.pcap.gz"
WINDOW = EMU / "c_rwnd" / "monitor.pcap.gz"


@dataclass(frozen=True)
class Said:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


Airmile = Callable[..., Said]


@pytest.fixture
def airmile(tmp_path: Path) -> Airmile:
    """Return a function that runs `airmile` in an empty directory."""

    def run(*words: str | Path, stdin: bytes | None = None, **env: str) -> Said:
        done = subprocess.run(
            [sys.executable, "-m", "airmile", *map(str, words)],
            cwd=tmp_path,
            input=stdin or b"",
            capture_output=True,
            env={**os.environ, **env},
            check=False,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture(scope="session")
def link(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the dataset of a download that fills the link."""
    import airmile

    out = tmp_path_factory.mktemp("link") / "link.airmile"
    return airmile.analyze(LINK, out=out).path
