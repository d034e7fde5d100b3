"""Numbers, causes and capture points in the words of reports.

A no-break space joins groups of digits and units, so that wrapping keeps them together. The layout
of the text replaces it by an ordinary space at the end.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime

NBSP = "\u00a0"


PLACES = {
    "ue": "at the phone",
    "monitor": "at a monitor between phone and server",
    "server": "at the server",
}
"""The capture points in words."""


def count(number: float) -> str:
    """Return a whole number in groups of three digits."""
    return f"{round(number):,}".replace(",", NBSP)


def counted(number: int, one: str, many: str | None = None) -> str:
    r"""Return a number with its noun.

    >>> counted(1, "flow"), counted(2, "flow")
    ('1\xa0flow', '2\xa0flows')
    """
    return f"{count(number)}{NBSP}{one if number == 1 else many or one + 's'}"


def digits(value: float) -> str:
    """Return a number without unit: whole, or with three digits if it is below 10.

    >>> digits(16829.3), digits(0.0448)
    ('16829', '0.0448')
    """
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.0f}"


def rate(bps: float) -> str:
    r"""Return a rate with the unit that leaves few digits.

    >>> rate(14_820_000), rate(950_000)
    ('14.8\xa0Mbps', '950\xa0kbps')
    """
    return _scaled(bps, (("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3)), "bps")


def size(number: float) -> str:
    r"""Return a number of bytes with a unit; units are powers of 1000.

    >>> size(9_812_000), size(816)
    ('9.8\xa0MB', '816\xa0B')
    """
    return _scaled(number, (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)), "B")


def seconds(number: float) -> str:
    r"""Return a duration with a suitable unit.

    >>> seconds(9.4), seconds(0.047), seconds(0.0004), seconds(5400)
    ('9.4\xa0s', '47\xa0ms', '0.4\xa0ms', '90\xa0min')
    """
    if 0 < number < 0.00005:
        return f"<{NBSP}0.1{NBSP}ms"
    if number < 0.00995:
        return f"{number * 1000:.1f}".removesuffix(".0") + f"{NBSP}ms"
    if number < 0.9995:
        return f"{number * 1000:.0f}{NBSP}ms"
    if number < 1000:
        return f"{number:.1f}{NBSP}s"
    if number < 60_000:
        return f"{number / 60:.0f}{NBSP}min"
    if number < 172_800:
        return f"{number / 3600:.1f}{NBSP}h"
    return f"{count(number / 86_400)}{NBSP}days"


DAY_S = 86_400.0
"""The length in s from which dates are shown instead of seconds since the first packet."""


def moment(ns: int) -> str:
    """Return an instant with its date, in UTC.

    >>> moment(1_795_510_515_302_000_000)
    '2026-11-24 08:55:15.302'
    """
    try:
        day = datetime.fromtimestamp(ns // 10**9, UTC)
    except (ValueError, OverflowError, OSError):
        return f"{ns}{NBSP}ns"
    return f"{day:%Y-%m-%d %H:%M:%S}.{ns % 10**9 // 10**6:03d}"


def percent(ratio: float) -> str:
    r"""Return a share as a percentage; small ones keep a digit.

    >>> percent(0.41), percent(0.0012), percent(0.00001)
    ('41\xa0%', '0.1\xa0%', '<\xa00.1\xa0%')
    """
    points = ratio * 100
    if points == 0 or points >= 9.95:
        return f"{points:.0f}{NBSP}%"
    return f"{points:.1f}{NBSP}%" if points >= 0.05 else f"<{NBSP}0.1{NBSP}%"


def rounded_shares(shares: Mapping[str, float]) -> dict[str, int]:
    """Return shares as whole percents that still add up to 100, the largest first.

    The shares with the largest remainders are rounded up; those that become 0 are left out.

    >>> rounded_shares({"idle": 1 / 3, "slow_start": 1 / 3, "lte_downlink": 1 / 3})
    {'idle': 34, 'slow_start': 33, 'lte_downlink': 33}
    """
    points = {cause: share * 100 for cause, share in shares.items()}
    whole = {cause: int(value) for cause, value in points.items()}
    rest = round(sum(points.values())) - sum(whole.values())
    by_remainder = sorted(points, key=lambda cause: whole[cause] - points[cause])
    for cause in by_remainder[:rest]:
        whole[cause] += 1
    ordered = sorted(whole.items(), key=lambda item: -item[1])
    return {cause: value for cause, value in ordered if value}


def printable(text: str) -> str:
    r"""Return text with escapes for characters that control a terminal or break a line.

    Names in a capture are untrusted: anybody may have sent them.

    >>> printable("a\x1b[2Jb\n")
    'a\\x1b[2Jb\\n'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == NBSP else ascii(c)[1:-1] for c in text)


def printable_lines(text: str) -> str:
    r"""Return text of several lines with escapes for characters that control a terminal.

    >>> printable_lines("a\n\x9bb\u202e")
    'a\n\\x9bb\\u202e'
    """
    return "\n".join(map(printable, text.split("\n")))


def quoted(word: str | os.PathLike[str]) -> str:
    r"""Return a name as one word of a shell command.

    >>> print(quoted("phone.airmile"), quoted("a b.airmile"), quoted("-x"), quoted("a\x1bb"))
    phone.airmile 'a b.airmile' ./-x $'a\x1bb'
    """
    text = os.fspath(word)
    text = f"./{text}" if text.startswith("-") else text
    if text.isprintable():
        return shlex.quote(text)
    escaped = text.replace("\\", r"\\").replace("'", r"\'")
    return f"$'{printable(escaped)}'"


def listed(words: list[str]) -> str:
    """Return words joined as in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def captured(value: str | None, phones: int = 1) -> str:
    """Return where a capture was made; what is next to several phones is at none of them.

    >>> captured("ue"), captured("ue", 32), captured(None)
    ('captured at the phone', 'captured beside the phones', 'capture point unknown')
    """
    place = PLACES.get(value or "")
    if value == "ue" and phones > 1:
        place = "beside the phones"
    return f"captured {place}" if place else "capture point unknown"


def _scaled(number: float, units: tuple[tuple[str, float], ...], base: str) -> str:
    for unit, factor in units:
        if number >= factor * 0.9995:
            scaled = number / factor
            return f"{scaled:.0f}{NBSP}{unit}" if scaled >= 99.95 else f"{scaled:.1f}{NBSP}{unit}"
    return f"{number:.0f}{NBSP}{base}"
