"""Thresholds in the form that the engine reads: ``NAME=VALUE``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Settings = Mapping[str, float | Iterable[int]] | Iterable[str]
"""Thresholds by name, as numbers or lists; or texts as on the command line."""


def settings(given: Settings) -> list[str]:
    """Return thresholds in the form that the engine reads.

    >>> settings({"bandwidth.min_send_bps": 30e6, "handshake.pep_ports": [80, 8080]})
    ['bandwidth.min_send_bps=30000000.0', 'handshake.pep_ports=80,8080']
    """
    if isinstance(given, Mapping):
        return [f"{name}={written(value)}" for name, value in given.items()]
    return [given] if isinstance(given, str) else list(given)


def written(value: float | Iterable[int]) -> str:
    """Return a value in the form that follows ``NAME=``.

    >>> written([80, 8080]), written(0.5)
    ('80,8080', '0.5')
    """
    return ",".join(map(str, value)) if isinstance(value, Iterable) else repr(value)
