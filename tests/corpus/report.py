"""The results of the comparison, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.corpus.compare import FIELDS, Finding
from tests.corpus.connection import WIRESHARK
from tests.corpus.exceptions import Fault

SHORT = {
    "payload_bytes": "payload",
    "unique_bytes": "unique",
    "window_scale": "scale",
    "timestamps": "stamps",
    "rtt_samples": "rtt n",
    "rtt_min_ms": "rtt min",
    "rtt_mean_ms": "mean",
    "rtt_max_ms": "rtt max",
    "connection": "flows",
}
COLUMNS = ("connection", *FIELDS)
_NAME = 58


@dataclass
class Result:
    """The results of one capture against every oracle that could read it."""

    capture: str
    findings: list[Finding]
    faults: list[Fault] = field(default_factory=list)

    def unlisted(self) -> Iterator[Finding]:
        """Give every difference that no listed fault explains."""
        for found in self.findings:
            if found.field == WIRESHARK or found.equal:
                continue
            if not any(fault.explains(self.capture, found) for fault in self.faults):
                yield found

    def needless(self) -> Iterator[str]:
        """Give every listed fault, field by field, that no longer exists."""
        for fault in self.faults:
            for name in sorted(fault.fields):
                about = [f for f in self.findings if (f.oracle, f.field) == (fault.oracle, name)]
                if all(found.equal for found in about):
                    yield f"{self.capture}: {fault.oracle} agrees about {name} now"


def table(results: Iterable[Result]) -> Iterator[str]:
    """Write a line per capture and oracle: the fields compared, or the number that differ."""
    widths = [max(len(_short(name)), 7) for name in COLUMNS]
    titles = [_short(name).rjust(width) for name, width in zip(COLUMNS, widths, strict=True)]
    yield f"{'capture':{_NAME}} {'oracle':8} {' '.join(titles)}   tshark's retransmissions"
    for result in results:
        for oracle in ("tcptrace", "tshark"):
            found = [finding for finding in result.findings if finding.oracle == oracle]
            cells = [_cell(result, [f for f in found if f.field == name]) for name in COLUMNS]
            if not found:
                cells = ["" for _ in COLUMNS]
            line = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
            name = result.capture[:_NAME]
            yield f"{name:{_NAME}} {oracle:8} {' '.join(line)}   {_beside(found)}".rstrip()


def _short(name: str) -> str:
    return SHORT.get(name, name)


def _cell(result: Result, found: list[Finding]) -> str:
    wrong = [finding for finding in found if not finding.equal]
    if not found:
        return "-"
    if not wrong:
        return f"{len(found)}"
    listed = all(
        any(fault.explains(result.capture, finding) for fault in result.faults) for finding in wrong
    )
    return f"({len(wrong)})" if listed else f"{len(wrong)}!"


def _beside(found: list[Finding]) -> str:
    """Show airmile's and tshark's values of heuristics, which are not compared."""
    about = [finding for finding in found if finding.field == WIRESHARK]
    if not about:
        return ""
    ours = sum(int(finding.ours or 0) for finding in about)
    theirs = sum(int(finding.theirs or 0) for finding in about)
    return f"{theirs}" if ours == theirs else f"{theirs}, ours {ours}"


def summary(results: list[Result]) -> str:
    """Say in one line how many fields of how many captures were compared, and what differs."""
    judged = [f for r in results for f in r.findings if f.field != WIRESHARK]
    listed = Counter(r.capture for r in results for f in r.findings if _is_listed(r, f))
    unlisted = sum(1 for r in results for _ in r.unlisted())
    read = sum(1 for r in results if r.findings)
    return (
        f"{read} captures, {len(judged)} fields compared; {sum(listed.values())} differ by faults "
        f"of an oracle that are listed (in {len(listed)} captures), {unlisted} differ otherwise"
    )


def _is_listed(result: Result, found: Finding) -> bool:
    if found.equal or found.field == WIRESHARK:
        return False
    return any(fault.explains(result.capture, found) for fault in result.faults)
