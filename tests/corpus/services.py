"""TLS names and HTTP messages of public captures beside tshark.

``python -m tests.corpus.services [NAME...]`` prints captures, fields compared, equal and differing,
each difference with its reason from ``service_exceptions.toml``; it fails when one has none.
``make corpus`` runs it where tshark is installed. Values of messages are printed only for
differences without a reason.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import airmile
from tests.corpus.connection import End
from tests.corpus.dissected import WAYS, Services, dissect
from tests.corpus.messages import HELLO, Finding, compare

LIST = Path(__file__).with_name("service_exceptions.toml")


@dataclass
class Result:
    """The comparison of one capture, with the reasons for its differences by field."""

    capture: str
    findings: list[Finding]
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def unlike(self) -> list[Finding]:
        """Give the findings that differ."""
        return [found for found in self.findings if found.ours != found.theirs]

    def unexplained(self) -> list[Finding]:
        """Give the differences without a reason."""
        return [found for found in self.unlike if found.field not in self.reasons]

    def needless(self) -> list[str]:
        """Give the fields whose reason explains no difference any more."""
        return sorted(self.reasons.keys() - {found.field for found in self.unlike})


def judge(capture: Path, scratch: Path) -> Result:
    """Compare one capture with tshark."""
    own = read(capture, scratch / "out.airmile")
    ways = [dissect(capture, way) for way in WAYS]
    findings = []
    for ends in sorted({ends: None for found in (own, *ways) for ends in found}, key=sorted):
        findings += compare(
            ends, own.get(ends, Services()), [w.get(ends, Services()) for w in ways]
        )
    return Result(capture.name, findings, reasons().get(capture.name, {}))


def reasons() -> dict[str, dict[str, str]]:
    """Read the reasons for differences: by capture and field."""
    tables: dict[str, dict[str, str]] = tomllib.loads(LIST.read_text())
    return tables


def read(capture: Path, out: Path) -> dict[frozenset[End], Services]:
    """Give airmile's names and messages of a capture; none when it cannot be read."""
    try:
        dataset = airmile.analyze(capture, out=out, overwrite=True)
    except airmile.AirmileError:
        return {}
    found: dict[frozenset[End], Services] = {}
    ends_of = {}
    flows = dataset.arrow("FROM flows WHERE protocol = 'tcp' ORDER BY start_ns, uid").to_pylist()
    for flow in flows:
        ends = frozenset({(flow["ue"], flow["ue_port"]), (flow["server"], flow["server_port"])})
        ends_of[flow["uid"]] = ends
        hello = {name: flow[name] for name in HELLO}
        found.setdefault(ends, Services()).hellos.append(hello)
    order = {uid: number for number, uid in enumerate(ends_of)}
    rows = dataset.arrow("FROM http").to_pylist()
    for row in sorted(rows, key=lambda row: (order[row["uid"]], row["request_id"])):
        _add(row, found[ends_of[row["uid"]]])
    return found


def _add(row: dict[str, Any], services: Services) -> None:
    if row["method"] is not None:
        services.requests.append({"method": row["method"]})
    if row["response_ns"] is None:
        return
    first, last = row["range_first_byte"], row["range_last_byte"]
    services.responses.append(
        {
            **{"status": row["status"], "content_type": row["content_type"]},
            **{"length": row["length_bytes"]},
            "range": None if first is None else f"{first}-{last}",
        }
    )


def lines(results: list[Result]) -> Iterator[str]:
    """Write a line per capture that has messages, its differences, and the sums."""
    for result in results:
        unlike = Counter(found.field for found in result.unlike)
        size, differ = len(result.findings), unlike.total()
        name = result.capture[:58]
        yield f"{name:58} {size:6} compared {size - differ:6} equal {differ:4} differ"
        for field_name, count in unlike.items():
            reason = result.reasons.get(field_name, "without a reason")
            yield f"    {field_name}: {count}: {reason}"
        yield from (f"    {found}" for found in result.unexplained())
        yield from (f"    {name} agrees now" for name in result.needless())
    compared = Counter(found.field for result in results for found in result.findings)
    differing = sum(len(result.unlike) for result in results)
    yield (
        f"TLS and HTTP: {len(results)} captures, {compared.total()} fields compared, "
        f"{compared.total() - differing} equal, {differing} differ: "
        + ", ".join(f"{name} {count}" for name, count in compared.items())
    )


def main(names: list[str]) -> int:
    """Compare the captures whose name contains one of `names`, or all."""
    from tests.corpus.__main__ import captures

    corpus = os.environ.get("AIRMILE_CORPUS")
    if corpus is None or shutil.which("tshark") is None:
        print("error: AIRMILE_CORPUS is not set, or tshark is not installed", file=sys.stderr)
        return 2
    every = captures(Path(corpus))
    chosen = [path for path in every if not names or any(name in path.name for name in names)]
    with tempfile.TemporaryDirectory() as scratch:
        results = [judge(path, Path(scratch)) for path in chosen]
    results = [result for result in results if result.findings]
    print(*lines(results), sep="\n")
    return 1 if any(result.unexplained() or result.needless() for result in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
