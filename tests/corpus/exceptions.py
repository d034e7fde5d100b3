"""Differences that are faults of an oracle, listed one by one in ``exceptions.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.corpus.compare import Finding

LIST = Path(__file__).with_name("exceptions.toml")
CAPTURES_AT_MOST = 8


@dataclass(frozen=True)
class Fault:
    """A fault of an oracle in one capture."""

    capture: str
    oracle: str
    fields: frozenset[str]
    why: str

    def explains(self, capture: str, finding: Finding) -> bool:
        """Say whether a difference is due to this fault."""
        same = (capture, finding.oracle) == (self.capture, self.oracle)
        return same and finding.field in self.fields


def known() -> list[Fault]:
    """Read the list of faults.

    >>> len({fault.capture for fault in known()}) <= CAPTURES_AT_MOST
    True
    """
    tables = tomllib.loads(LIST.read_text())
    return [
        Fault(capture, entry["oracle"], frozenset(entry["fields"]), entry["why"])
        for capture, entries in tables.items()
        for entry in entries
    ]
