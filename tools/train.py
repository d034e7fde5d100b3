"""The training run of a build with profiles (``maturin --pgo``): analyse the bundled captures.

What the compiler learns from it is which branches a capture takes. The captures that are measured
(``make bench``) are not among them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import airmile

DATA = Path(__file__).parent.parent / "tests" / "data"


def main() -> None:
    """Analyse every capture of ``tests/data``, each into a dataset that is thrown away."""
    for capture in sorted(DATA.rglob("*.pcap.gz")):
        with tempfile.TemporaryDirectory() as scratch:
            airmile.analyze(capture, out=Path(scratch) / "training.airmile", threads=1)


if __name__ == "__main__":
    main()
