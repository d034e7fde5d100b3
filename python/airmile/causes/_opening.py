"""The advice for the causes before a connection is open."""

from __future__ import annotations

from collections.abc import Iterator

from airmile.causes._declaration import Case


def advice(case: Case) -> Iterator[str]:
    """Yield advice to open connections less often."""
    yield (
        "waiting for the radio, DNS and the connection dominates: keep connections open, prefetch "
        "names, or batch requests before the radio sleeps"
    )
