"""The number of hostile datasets that a test tries: few in `make test`, more by hand."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

CASES = int(os.environ.get("AIRMILE_CASES", "0"))
"""The number of cases of each property; 0 means the few of `make test`, the same in each run."""


def cases(few: int) -> settings:
    """Return the settings of a property test: `few` cases, unless `AIRMILE_CASES` sets more."""
    return settings(
        max_examples=CASES or few,
        derandomize=not CASES,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
