"""The transport protocols that the model knows, by name."""

from __future__ import annotations

from airmile.model._arguments import one_of
from airmile.protocols._transports import TRANSPORTS, Transport

__all__ = ["TRANSPORTS", "Transport", "named"]


def named(name: str) -> Transport:
    """Return the protocol of this name.

    Raises
    ------
    UsageError
        The model knows no protocol of this name.

    Examples
    --------
    >>> named("tls1.3").handshake_rtts
    2
    """
    one_of("transport", name, tuple(TRANSPORTS))
    return TRANSPORTS[name]
