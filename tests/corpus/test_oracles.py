"""airmile's values match tcptrace and tshark on every public capture (see `make corpus`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpus import exceptions
from tests.corpus.__main__ import captures, judge
from tests.support.share import sample

CORPUS = os.environ.get("AIRMILE_CORPUS")
LONGEST = "PcapPlusPlus__650HttpResponses.pcap"
"""The capture that takes nearly as long as all others together."""


def chosen() -> Iterator[object]:
    """Yield the captures to compare."""
    every = captures(Path(CORPUS)) if CORPUS else []
    for path in sample(every, few=20, what="captures beside tcptrace and tshark"):
        marks = [pytest.mark.whole] if path.name == LONGEST else []
        yield pytest.param(path, id=path.name, marks=marks)


def test_few_captures_are_excepted_and_each_with_a_reason() -> None:
    faults = exceptions.known()
    assert len({fault.capture for fault in faults}) <= exceptions.CAPTURES_AT_MOST
    assert all(fault.why and fault.oracle in ("tcptrace", "tshark") for fault in faults)


@pytest.mark.parametrize("capture", chosen())
def test_equal_to_the_oracles(capture: Path, tmp_path: Path) -> None:
    result = judge(capture, tmp_path)
    assert [str(found) for found in result.unlisted()] == []
    assert list(result.needless()) == []
