"""Compares the rows that two engines write: ``python -m benches.rows OUT.csv CAPTURE...``.

A folder means every capture in it, and ``scripts:COUNT`` means that many random packet scripts.
``--against BEFORE.csv`` prints every table that differs; with ``--ordered`` the order of rows
counts too. ``airmile-rows cells CAPTURE`` shows the rows behind a difference.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

BUILT = Path(__file__).parent.parent / "target" / "dist"
ENDINGS = (".pcap", ".pcapng", ".cap")
SCRIPTS = "scripts:"
SCRIPTS_EACH = 100
"""The number of scripts in a capture, which is small so that a difference is soon found."""
COLUMNS = ("capture", "threads", "table", "rows", "ordered", "order_free")

Row = tuple[str, ...]


def main() -> int:
    """Compute the hashes, write them, and compare them."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        found = [
            (name, threads, *row)
            for name, path in _captures(options, Path(scratch))
            for threads in options.threads.split(",")
            for row in _hash(options.built, path, threads)
        ]
    with options.out.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        lines.writerows(found)
    print(f"{len(found)} tables of {len({row[0] for row in found})} captures in {options.out}")
    differ = _threads_differ(found)
    if options.against:
        differ += _compare(options.against, found, options.ordered)
    return 1 if differ else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="file for the hashes, as CSV")
    parser.add_argument("capture", nargs="+", help="file, folder, or scripts:COUNT")
    parser.add_argument(
        "--threads", default="1", help="numbers of threads, such as 1,2,7 [%(default)s]"
    )
    parser.add_argument("--built", type=Path, default=BUILT, help="folder of the binaries")
    parser.add_argument("--against", type=Path, help="earlier hashes to compare with")
    parser.add_argument("--ordered", action="store_true", help="the order of rows counts too")
    return parser.parse_args()


def _captures(options: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, Path]]:
    for given in options.capture:
        if given.startswith(SCRIPTS):
            yield from _scripts(options.built, int(given.removeprefix(SCRIPTS)), scratch)
        elif Path(given).is_dir():
            below = sorted(Path(given).rglob("*"))
            yield from ((str(path), path) for path in below if _is_capture(path))
        else:
            yield given, Path(given)


def _is_capture(path: Path) -> bool:
    return path.is_file() and any(ending in path.suffixes for ending in ENDINGS)


def _scripts(built: Path, count: int, scratch: Path) -> Iterator[tuple[str, Path]]:
    for first in range(0, count, SCRIPTS_EACH):
        path = scratch / f"scripts-{first}.pcap"
        words = [str(built / "airmile-bench"), "scripts", str(path), str(first), str(SCRIPTS_EACH)]
        subprocess.run(words, check=True, capture_output=True)
        yield path.stem, path


def _hash(built: Path, path: Path, threads: str) -> list[Row]:
    """Return the hashes of each table, or the error of a capture that cannot be read."""
    words = [str(built / "airmile-rows"), "hash", str(path), threads]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.replace(str(path), "").strip()
        return [(said, "", "", "")]
    return [tuple(line.split(",")) for line in done.stdout.splitlines()[1:]]


def _threads_differ(found: list[Row]) -> int:
    """Print the tables that differ with the number of threads; return their number."""
    hashes: dict[Row, set[Row]] = {}
    for capture, _, table, *row in found:
        hashes.setdefault((capture, table), set()).add(tuple(row))
    differ = [key for key, found in hashes.items() if len(found) > 1]
    for capture, table in differ:
        print(f"{capture} {table}: differs with the number of threads")
    return len(differ)


def _compare(against: Path, found: list[Row], ordered: bool) -> int:
    """Print the tables that differ, or that only one side has; return their number."""
    with against.open(newline="") as file:
        before = {tuple(row[:3]): tuple(row[3:]) for row in list(csv.reader(file))[1:]}
    now = {row[:3]: row[3:] for row in found}
    differ = [
        key
        for key in sorted(before.keys() | now.keys())
        if _compared(before.get(key), ordered) != _compared(now.get(key), ordered)
    ]
    for key in differ:
        rows = [side[0] if side else "none" for side in (before.get(key), now.get(key))]
        print(f"{' '.join(key)}: differs, {rows[0]} rows before, {rows[1]} now")
    print(f"{len(differ)} of {len(now)} tables differ")
    return len(differ)


def _compared(row: Row | None, ordered: bool) -> Row | None:
    return row if row is None or ordered else (row[0], row[2])


if __name__ == "__main__":
    sys.exit(main())
