"""A phone whose TCP timestamps advance in coarse ticks, as those of 2012 did every 10 ms.

No kernel has such a setting, so the link rewrites the option in every packet. The capture in the
phone is taken before that. It is rewritten after the run in the same way, so that all three
captures agree.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path

from airmile._errors import UsageError
from airmile.testbed.hosts.namespaces import PHONE

SETTING = "timestamp_tick_ms"


def checked(value: object) -> int | None:
    """Check the setting; 1 ms is what the kernel does anyway.

    Raises
    ------
    UsageError
        It is not the length of a tick.
    """
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1000:
        raise UsageError(
            f"hosts.phone.{SETTING} = {value!r}",
            "whole milliseconds from 1 to 1000 (RFC 7323 section 5.4)",
        )
    return value if value > 1 else None


def rewrite(capture: Path, tick_ms: int) -> None:
    """Rewrite a capture that was taken in the phone, all of it or not at all."""
    from airmile import _engine

    part = capture.with_suffix(".part")
    try:
        address = list(ipaddress.IPv4Address(PHONE).packed)
        _engine.link_recorded(str(capture), str(part), tick_ms, address)
        part.replace(capture)
    finally:
        part.unlink(missing_ok=True)
