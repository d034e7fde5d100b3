"""Which tests may be skipped."""

from __future__ import annotations

import fnmatch

from tools.check.outcome import ROOT

EXPECTED = ROOT / "tests" / "expected-skips.txt"


def unexpected(skipped: dict[str, str], expected: list[str]) -> list[str]:
    """Return the skipped tests that no expected pattern names.

    >>> unexpected({"rust a::b": "x", "python c": "y"}, ["rust a::*"])
    ['python c']
    """
    return [
        name
        for name in sorted(skipped)
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in expected)
    ]


def expected_skips() -> list[str]:
    """Return the patterns of skips that are known and have a reason."""
    lines = (line.split("#", 1)[0].strip() for line in EXPECTED.read_text().splitlines())
    return [pattern for pattern in lines if pattern]
