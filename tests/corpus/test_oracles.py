"""airmile's values match tcptrace and tshark on every public capture (see `make corpus`)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.corpus import exceptions
from tests.corpus.__main__ import captures, judge

CORPUS = os.environ.get("AIRMILE_CORPUS")


def test_few_captures_are_excepted_and_each_with_a_reason() -> None:
    faults = exceptions.known()
    assert len({fault.capture for fault in faults}) <= exceptions.CAPTURES_AT_MOST
    assert all(fault.why and fault.oracle in ("tcptrace", "tshark") for fault in faults)


@pytest.mark.parametrize(
    "capture", captures(Path(CORPUS)) if CORPUS else [], ids=lambda path: str(path.name)
)
def test_equal_to_the_oracles(capture: Path, tmp_path: Path) -> None:
    result = judge(capture, tmp_path)
    assert [str(found) for found in result.unlisted()] == []
    assert list(result.needless()) == []
