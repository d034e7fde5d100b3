"""Fixtures that run the command line as users do, and keep its output."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.commands import Commands, Said

EMU = Path(__file__).parents[1] / "data" / "emu"
LINK = EMU / "a_link_cubic" / "monitor.pcap.gz"
WINDOW = EMU / "c_rwnd" / "monitor.pcap.gz"
PARALLEL = EMU / "t20_parallel" / "monitor.pcap.gz"


Airmile = Callable[..., Said]


@pytest.fixture(scope="session")
def commands() -> Iterator[Commands]:
    """Return what runs commands."""
    with Commands() as running:
        yield running


@pytest.fixture
def airmile(tmp_path: Path, commands: Commands) -> Airmile:
    """Return a function that runs `airmile` in an empty directory."""

    def run(*words: str | Path, stdin: bytes | None = None, **env: str) -> Said:
        return commands.run([*map(str, words)], tmp_path, stdin or b"", env)

    return run


@pytest.fixture(scope="session")
def link(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the dataset of a download that fills the link."""
    import airmile

    out = tmp_path_factory.mktemp("link") / "link.airmile"
    return airmile.analyze(LINK, out=out).path


@pytest.fixture(scope="session")
def parallel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the dataset of several downloads at once."""
    import airmile

    return airmile.analyze(PARALLEL, out=tmp_path_factory.mktemp("p") / "parallel.airmile").path


def on_a_terminal(folder: Path, *words: str | Path, columns: int = 0) -> tuple[int, bytes]:
    """Run `airmile` with a pseudo-terminal as its standard output; 0 columns means unknown."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    # A process of xdist has COLUMNS and LINES, which are stronger than the size of a terminal.
    hidden = ("NO_COLOR", "COLUMNS", "LINES")
    environment = {name: text for name, text in os.environ.items() if name not in hidden}
    process = subprocess.Popen(
        [sys.executable, "-m", "airmile", *map(str, words)],
        cwd=folder,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm"},
    )
    os.close(theirs)
    written = bytearray()
    with contextlib.suppress(OSError):  # Linux reports the end of a pseudo-terminal as EIO.
        while data := os.read(ours, 65536):
            written += data
    os.close(ours)
    return process.wait(), bytes(written)
