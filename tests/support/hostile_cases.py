"""How many cases of hostile datasets are made up: few in `make test`, any number by hand."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

CASES = int(os.environ.get("AIRMILE_CASES", "0"))
"""Of each property; 0 means those few of `make test`, which are the same in every run."""


def cases(few: int) -> settings:
    """Return settings for a property: so many cases unless more are asked for."""
    return settings(
        max_examples=CASES or few,
        derandomize=not CASES,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
