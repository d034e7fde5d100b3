"""The report of `airmile radio`: whether a link was the bottleneck, and the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from airmile._words import NBSP, counted, percent, quoted, seconds, size
from airmile.answers.radio import _log_words
from airmile.render import _radio_facts
from airmile.render.json import written
from airmile.render.layout import PLAIN_WIDTH, Paragraph, lay_out
from airmile.render.markdown import escaped

if TYPE_CHECKING:
    from airmile.answers.radio.findings import RadioUser, RadioValues

BURSTS = "FROM bursts ORDER BY throughput_time_ms DESC LIMIT 10"
"""An SQL query for a first look at the bursts."""


def render(
    radio: RadioValues, width: int = PLAIN_WIDTH, *, verbose: bool = False, kept: bool = True
) -> str:
    """Return the findings as text of at most `width` columns.

    `verbose` shows every user, and all records that were read. With `kept`, the tables are kept and
    the text names their place.
    """
    return lay_out(list(_paragraphs(radio, verbose=verbose, kept=kept)), width)


def markdown(radio: RadioValues) -> str:
    """Return the findings as a Markdown section."""
    parts = ["## The radio"]
    for paragraph in _paragraphs(radio, verbose=False, kept=False):
        if paragraph.heading:
            parts.append(f"### {paragraph.heading}\n")
        parts.append(f"- {escaped(paragraph.text.removeprefix('- '))}")
    return "\n".join(parts).replace(NBSP, " ")


def json(radio: RadioValues) -> str:
    """Return the findings as one JSON document."""
    return written(radio.to_dict())


def _paragraphs(radio: RadioValues, *, verbose: bool, kept: bool) -> Iterator[Paragraph]:
    yield from _headed("Log", (_log_words.title(log) for log in radio.logs))
    users = radio.users if verbose else radio.users[:1]
    if not users:
        yield Paragraph("Downlink", "nothing to judge: no allocation of any user was read")
    for user in users:
        yield from _of_user(user, name=len(radio.users) > 1)
    others = len(radio.users) - len(users) + radio.other_users
    if others:
        more = "" if radio.other_users and verbose else ": -v shows those with most bytes"
        yield Paragraph("", f"{counted(others, 'other user')} in the log{more}")
    yield from _headed("Capture", _capture(radio))
    yield from _headed("Input", _input(radio, verbose=verbose))
    yield from _headed("Next", _next(radio))
    if kept:
        yield from _tables(radio)


def _of_user(user: RadioUser, *, name: bool) -> Iterator[Paragraph]:
    whose = f"user {user.user}: " if name else ""
    yield Paragraph("Downlink", whose + answer(user))
    if user.received_little:
        yield from _headed("Uplink", _radio_facts.uplink(user))
        yield from _headed("Clock", _radio_facts.clock(user))
    else:
        yield from _headed("Why", _radio_facts.why(user))
    yield from _headed("Carriers", _radio_facts.carriers(user))
    yield from _headed("Cells", _radio_facts.cells(user))
    if not user.received_little:
        yield from _headed("Uplink", _radio_facts.uplink(user))


def answer(user: RadioUser) -> str:
    """Return whether the downlink was the bottleneck, as a sentence."""
    if user.received_little:
        return (
            f"the phone received almost nothing, {size(user.downlink_bytes)} in "
            f"{seconds(user.receiving_s)}: acknowledgements of what it sent; whether it was the "
            "bottleneck is unknown. The uplink was the direction that mattered."
        )
    if user.busy_ratio is None:
        return f"whether it was the bottleneck is unknown: {user.reason}."
    busy = f"busy {_share(user)} of the {seconds(user.receiving_s)} in which the phone received"
    if user.link_is_bottleneck is None:
        return f"whether it was the bottleneck is unknown: {busy}{_range(user)}; {user.reason}."
    if user.link_is_bottleneck:
        return f"{busy}{_range(user)}: it was the bottleneck for {_of(user)}."
    rest = _of(user, rest=True)
    return (
        f"{busy}{_range(user)}: not the bottleneck; for {rest} something else held the data back."
    )


def _of(user: RadioUser, *, rest: bool = False) -> str:
    """Return the busy time, or the rest: its range if the range is wide."""
    shares = [user.busy_low_ratio, user.busy_high_ratio] if user.busy_is_wide else [user.busy_ratio]
    times = sorted(1 - share if rest else share for share in shares if share is not None)
    if min(times) > 0.995:
        return "all of it"
    return " to ".join(seconds(share * user.receiving_s) for share in times)


def _share(user: RadioUser) -> str:
    """Return the busy share, or only its range if the range is wide."""
    if user.busy_is_wide and user.busy_low_ratio is not None and user.busy_high_ratio is not None:
        return f"between {user.busy_low_ratio * 100:.0f}{NBSP}% and {percent(user.busy_high_ratio)}"
    return percent(user.busy_ratio or 0.0)


def _range(user: RadioUser) -> str:
    """Return the range of the busy share if it is wider than one percent and not given before."""
    low, high = user.busy_low_ratio, user.busy_high_ratio
    if user.busy_is_wide or low is None or high is None or high - low < 0.01:
        return ""
    return f" (between {low * 100:.0f}{NBSP}% and {percent(high)})"


def _capture(radio: RadioValues) -> Iterator[str]:
    """Yield the verdict from the log and the capture together."""
    if not radio.captured:
        return
    from airmile.answers.verdict._judge import judge
    from airmile.render import cause_shares, text

    verdict = radio.dataset.once(judge)
    yield f"limited by {cause_shares.limited_by(verdict)}"
    yield from text.link_sentence(verdict)


def _input(radio: RadioValues, *, verbose: bool) -> Iterator[str]:
    """Yield which checks of the log held, and what was not decoded."""
    if not _receives(radio):
        yield from _log_words.holds(radio.logs)
    yield from _log_words.checks(radio.logs, verbose=verbose)
    yield from _log_words.notes(radio.logs, verbose=verbose)


def _receives(radio: RadioValues) -> bool:
    """Return whether the log holds an allocation of the downlink to the first user."""
    return bool(radio.users and radio.users[0].receiving_s)


def _next(radio: RadioValues) -> Iterator[str]:
    if not _receives(radio):
        yield (
            "log the PDSCH allocations (0xB173) during a download of more than a second, or those "
            "of the PUSCH (0xB139 and 0xB064) during an upload; `airmile schema ttis` lists what "
            "is needed"
        )
        return
    user = radio.users[0]
    if any(total["source"] == "largest_seen" for total in _radio_facts.downlink_totals(user)):
        yield "give the cell bandwidth: --cell-prbs 50 for 10 MHz, 100 for 20 MHz"
    if not radio.captured:
        yield (
            "record the packets too and give both (--capture phone.pcap): they show when the queue "
            "was empty, and what else held the data back"
        )
    elif user.link_is_bottleneck is False:
        yield f"see what else held the data back: airmile {radio.dataset.path}"


def _tables(radio: RadioValues) -> Iterator[Paragraph]:
    dataset = radio.dataset
    filled = [name for name in dataset.tables if dataset.rows(name)]
    names = ", ".join(filled) or "empty, because no record that was read has a table"
    yield Paragraph("Tables", f"{dataset.path}: {names}", hang=2)
    if filled:
        query = BURSTS if "bursts" in filled else f"FROM {filled[0]} LIMIT 10"
        yield Paragraph("", f'airmile query {quoted(dataset.path)} "{query}"', wrap=False)


def _headed(heading: str, texts: Iterable[str]) -> Iterator[Paragraph]:
    for number, text in enumerate(texts):
        yield Paragraph(heading if number == 0 else "", text, hang=2)
