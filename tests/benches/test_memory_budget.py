"""A whole run stays within `--memory`, whatever fills it (`benches.budget` prints the table)."""

from __future__ import annotations

import pytest

from benches import budget
from benches.budget import MIB
from tests.support.share import WHOLE

CASES = [(128, "phones"), (128, "growing")]
if WHOLE:
    CASES = [(memory, load) for memory in budget.BUDGETS_MIB for load in budget.UNITS]


@pytest.mark.parametrize(("memory_mib", "load"), CASES)
def test_a_run_takes_little_more_than_its_budget(memory_mib: int, load: str) -> None:
    found = budget.run(load, memory_mib * MIB, threads=2)
    assert found.ended > 0 or WHOLE, "the capture needs more than the budget"
    assert found.is_within, str(found)
