"""The modules that a subcommand loads: a verdict needs no pyarrow, DuckDB or numpy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import wire

EMULATED = Path(__file__).parents[1] / "data" / "emu"

PROGRAM = """
import sys
from airmile.cli import run
assert run(sys.argv[1:]) == 0
print("LOADED", *sorted(sys.modules), file=sys.stderr)
"""


def loaded(arguments: list[str], folder: Path) -> set[str]:
    """Return the modules that a command line loads in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stderr.rsplit("LOADED", 1)[1].split())


@pytest.mark.parametrize("run", ["a_link_cubic", "t16_periodic", "c_rwnd"])
@pytest.mark.parametrize("form", ["text", "md"])
def test_a_verdict_of_a_capture_needs_no_tables(run: str, form: str, tmp_path: Path) -> None:
    capture = EMULATED / run / "monitor.pcap.gz"
    found = loaded(["analyze", str(capture), "--format", form], tmp_path)
    assert "airmile.answers.verdict._judge" in found
    assert not {"pyarrow", "duckdb", "numpy"} & found


def test_connections_that_never_opened_need_no_tables(tmp_path: Path) -> None:
    syn = wire.ip(wire.PHONE, wire.SERVER, 6, wire.tcp((41_000, 80), (9, 0), wire.SYN))
    wire.write(tmp_path / "never.pcap", [(second * 10**9, syn) for second in (1, 2, 4)])
    found = loaded(["analyze", "never.pcap"], tmp_path)
    assert not {"pyarrow", "duckdb", "numpy"} & found


def test_a_verb_loads_no_other_verb(tmp_path: Path) -> None:
    capture = EMULATED / "a_link_cubic" / "monitor.pcap.gz"
    found = loaded(["analyze", str(capture)], tmp_path)
    assert {name for name in found if name.startswith("airmile.cli.")} >= {"airmile.cli.analyze"}
    assert not {"airmile.cli.testbed", "airmile.cli.study", "airmile.verbs._align"} & found
