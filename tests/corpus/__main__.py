"""``make corpus``: every public capture against tcptrace and tshark, field by field.

And every message of the public modem logs against MobileInsight's dump (:mod:`tests.corpus.radio`).

Prints a table and the differences that no listed fault of an oracle explains; fails when there is
one, or when a listed fault no longer exists. A cell is the number of values that are equal, ``(n)``
that n differ by a listed fault, ``n!`` that n differ otherwise, ``-`` that there is no value.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.corpus import compare, exceptions, oracles, ours, radio, report
from tests.corpus.connection import WIRESHARK


def captures(corpus: Path) -> list[Path]:
    """List the captures of a corpus."""
    found = sorted(path for path in (corpus / "pcap").glob("*") if path.is_file())
    return [path for path in found if path.suffix != ".md"]


def judge(capture: Path, scratch: Path) -> report.Result:
    """Compare one capture with the output of every oracle."""
    own = ours.connections(capture, scratch / "out.airmile")
    folder = capture.parent / "oracle"
    found: list[compare.Finding] = []
    for name, read in (("tcptrace", oracles.tcptrace), ("tshark", oracles.tshark)):
        theirs = read(folder, capture.name)
        if theirs is not None:
            fields = (*compare.FIELDS, WIRESHARK)
            found += compare.findings(name, own, theirs, fields)
    faults = [fault for fault in exceptions.known() if fault.capture == capture.name]
    return report.Result(capture.name, found, faults)


def main(names: list[str]) -> int:
    """Compare the captures whose name contains one of `names`, or all."""
    corpus = os.environ.get("AIRMILE_CORPUS")
    if corpus is None:
        print("error: AIRMILE_CORPUS does not name the folder of captures", file=sys.stderr)
        return 2
    chosen = [
        path
        for path in captures(Path(corpus))
        if not names or any(name in path.name for name in names)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        results = [judge(path, Path(scratch)) for path in chosen]
    for line in report.table(results):
        print(line)
    wrong = [f"{result.capture}: {found}" for result in results for found in result.unlisted()]
    wrong += [line for result in results for line in result.needless()]
    print("", *wrong, report.summary(results), sep="\n")
    if names:
        return 1 if wrong else 0
    said, unlike = radio.judge(Path(corpus) / "radio")
    print("", *said, *unlike, sep="\n")
    return 1 if wrong or unlike else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
