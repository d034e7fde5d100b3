"""How many cases a test runs: a fixed share in ``make test``, all of them in ``make check-all``.

``make check-all`` sets the environment variable ``AIRMILE_WHOLE`` to 1; this module alone reads it.
For a test of Python there are four ways to leave work to ``make check-all``:

- ``@cases(few=20, whole=400)`` on a property, a test with ``@given``;
- ``@pytest.mark.parametrize("name", sample(NAMES, few=3, what="..."))``;
- ``share(few=20, whole=2000, what="...")``, a number;
- ``@pytest.mark.whole`` on a test or a parameter that runs in ``make check-all`` alone.

What was left is printed at the end of the run. ``crates/share`` is the counterpart for Rust.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings

WHOLE = os.environ.get("AIRMILE_WHOLE") == "1"
"""Whether tests run all of their cases."""

CASES = int(os.environ.get("AIRMILE_CASES", "0"))
"""The number of cases of each property, whatever it declares; 0 means what it declares."""

Item = TypeVar("Item")
Test = TypeVar("Test", bound=Callable[..., None])

settings.register_profile(
    "airmile",
    derandomize=not (CASES or WHOLE),
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("airmile")

_left: set[str] = set()


def share(*, few: int, whole: int, what: str) -> int:
    """Return how many cases to run.

    Parameters
    ----------
    few, whole : int
        The number in ``make test``, and in ``make check-all``.
    what : str
        What the cases are, in the plural.

    Examples
    --------
    >>> share(few=20, whole=20, what="damaged manifests")
    20
    """
    if WHOLE or few >= whole:
        return whole
    leave(f"{few:,} of {whole:,} {what}")
    return few


def sample(items: Iterable[Item], *, few: int, what: str) -> Sequence[Item]:
    """Return all items, or a few of them: the same in each run, in their order.

    Examples
    --------
    >>> sample("abc", few=3, what="letters")
    ['a', 'b', 'c']
    """
    every = list(items)
    if WHOLE or few >= len(every):
        return every
    leave(f"{few:,} of {len(every):,} {what}")
    chosen = random.Random(1).sample(range(len(every)), few)
    return [every[index] for index in sorted(chosen)]


def cases(*, few: int, whole: int) -> Callable[[Test], Test]:
    """Set the number of cases of a property. In ``make test``, each run draws the same ones.

    Examples
    --------
    >>> from hypothesis import given, strategies
    >>> @cases(few=10, whole=10)
    ... @given(strategies.integers())
    ... def test_twice_a_number_is_even(number):
    ...     assert 2 * number % 2 == 0
    >>> test_twice_a_number_is_even()
    """

    def decorate(test: Test) -> Test:
        declared = share(few=few, whole=whole, what=f"cases of {test.__name__}")
        decorated: Test = settings(max_examples=CASES or declared)(test)
        return decorated

    return decorate


def leave(what: str) -> None:
    """Note what ``make check-all`` runs and this run does not."""
    _left.add(what)


def left() -> list[str]:
    """Return what was noted."""
    return sorted(_left)
