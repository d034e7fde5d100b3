"""Measures the memory for a flow or phone with one packet: ``python -m benches.memory``.

For each kind, captures with N and with 2 N of them are analysed. The difference of the peaks of
memory, divided by N, is the memory for one. `analyze` drops the rows and `dataset` writes them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benches.measure import cost

ROOT = Path(__file__).parent.parent
KINDS = ("flows", "phones", "names", "tunnels", "fragments")
STAGES = ("analyze", "dataset")


def main() -> int:
    """Measure each kind, and print a table."""
    options = _options()
    print(f"{'bytes for each of':20}" + "".join(f"{stage:>10}" for stage in options.stage))
    for kind in options.kind:
        found = [of_each(kind, stage, options.count, options.built) for stage in options.stage]
        print(f"{kind:20}" + "".join(f"{bytes_:10.0f}" for bytes_ in found), flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--stage", nargs="+", choices=STAGES, default=STAGES)
    parser.add_argument("--count", type=int, default=200_000, help="N [%(default)s]")
    built = ROOT / "target" / "dist"
    parser.add_argument("--built", type=Path, default=built, help="folder of the binaries")
    return parser.parse_args()


def of_each(kind: str, stage: str, count: int, built: Path) -> float:
    """Return the bytes for one more of a kind when there are `count` of them."""
    return (_peak(kind, stage, 2 * count, built) - _peak(kind, stage, count, built)) / count


def _peak(kind: str, stage: str, count: int, built: Path) -> int:
    tool = str(built / "airmile-bench")
    with tempfile.TemporaryDirectory() as scratch:
        capture = f"{scratch}/many.pcap"
        _run([tool, "many", kind, capture, str(count)], Path(scratch))
        words = [tool, stage, capture]
        if stage == "dataset":
            words = [str(built / "airmile-rows"), stage, capture, f"{scratch}/out.airmile", "1"]
        return _run(words, Path(scratch))


def _run(words: list[str], folder: Path) -> int:
    found = cost(words, folder)
    if found.exit_code:
        sys.exit(f"{' '.join(words)}: exit code {found.exit_code}")
    return found.peak_bytes


if __name__ == "__main__":
    sys.exit(main())
