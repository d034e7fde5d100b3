"""Runs the program for a build with profiles (``maturin --pgo``): analyses bundled captures.

The compiler learns from this run which branches a capture takes. The captures of the measurements
(``make bench``) are not used.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import airmile

DATA = Path(__file__).parent.parent / "tests" / "data"


def main() -> None:
    """Analyse every capture in ``tests/data`` into a dataset that is deleted."""
    for capture in sorted(DATA.rglob("*.pcap.gz")):
        with tempfile.TemporaryDirectory() as scratch:
            airmile.analyze(capture, out=Path(scratch) / "training.airmile", threads=1)


if __name__ == "__main__":
    main()
