"""The sentence of what a flow sent again in its main direction (methods C2).

What was sent again are retransmissions, spurious ones and tail loss probes. The denominator leaves
out packets that were recorded twice. Where records contain several segments, a packet is no unit,
and bytes are compared.
"""

from __future__ import annotations

from airmile._words import count, counted, listed, percent, size
from airmile.answers.verdict._facts import Facts, at_receiver, at_sender, of_way, one_sided, way

Said = tuple[str, str, str]
"""A sentence, the word for its place, and the span of the place; the sentence may be empty."""

_NOTHING: Said = ("", "", "flow")


def sent_again(flow: Facts, *, recovers: bool) -> Said:
    """Return what was sent again; `recovers` if the flow recovered from losses."""
    lost, packets = way(flow, "retransmissions"), _packets(flow)
    if lost is None or not packets:
        return _NOTHING
    again, late = _again(flow), way(flow, "upstream_losses") or 0
    # At the sender a first copy that never passed was not lost by the network.
    late = 0 if at_sender(flow) else late
    if at_receiver(flow):
        return _at_receiver(again, late, packets)
    if again:
        return _counted_again(flow, again, late, packets)
    if late:
        return f"{_came_late(late, packets)}; none passed here twice", "", "flow"
    if recovers and not at_sender(flow) and not one_sided(flow):
        # What is lost before the capture point passes it once, when it is sent again.
        text = f"none of {counted(packets, 'packet')} passed here twice"
        return f"{text}: losses before this capture point are not seen", "", "flow"
    if one_sided(flow):
        return _NOTHING
    if filled := 0 if at_sender(flow) else way(flow, "reordered"):
        text = (
            f"none of {counted(packets, 'packet')} passed here twice; {count(filled)} came out of"
        )
        return f"{text} order, or were lost before this point and sent again at once", "", "flow"
    return f"none of {counted(packets, 'packet')} retransmitted{_asked(flow)}", "", "flow"


def _asked(flow: Facts) -> str:
    """Return how many packets only asked whether the window or the connection is still open."""
    probes, empty, alive = (
        way(flow, name) or 0 for name in ("window_probes", "empty_window_probes", "keep_alives")
    )
    kinds = ((probes + empty, "window probe"), (alive, "keep-alive"))
    named = [counted(number, kind) for number, kind in kinds if number]
    return f", {listed(named)} among them" if named else ""


def _packets(flow: Facts) -> int:
    """Return the packets of the direction; those that were recorded twice count once."""
    return (way(flow, "packets") or 0) - (way(flow, "recorded_twice") or 0)


def _again(flow: Facts) -> int:
    kinds = ("retransmissions", "spurious_retransmissions", "tail_probes")
    return sum(way(flow, kind) or 0 for kind in kinds)


def _at_receiver(again: int, late: int, packets: int) -> Said:
    """Return what a capture next to the receiver shows: a lost packet passes it only once."""
    twice = f"{count(again)} came twice" if again else ""
    if late:
        return "; ".join(part for part in (_came_late(late, packets), twice) if part), "", "flow"
    if again:
        share = percent(again / packets)
        return f"{count(again)} of {counted(packets, 'packet')} came twice ({share})", "", "flow"
    return _NOTHING


def _came_late(late: int, packets: int) -> str:
    return (
        f"{counted(late, 'packet')} of {count(packets)} came late, because the first copy was lost"
    )


def _counted_again(flow: Facts, again: int, late: int, packets: int) -> Said:
    text = _merged(flow, again) or (
        f"{count(again)} of {counted(packets, 'packet')} retransmitted ({percent(again / packets)})"
    )
    probes, needless = (
        way(flow, kind) or 0 for kind in ("tail_probes", "spurious_retransmissions")
    )
    if probes:
        text += f", {'all' if probes == again else f'{count(probes)} of them'} as tail loss probes"
    if needless:
        which = "all" if needless == again else f"{count(needless)} of them"
        text += f", {which} needlessly: their data had arrived"
    if late:
        text += f"; {count(late)} came late, because the first copy was lost before this point"
    # Slices count only those that were lost behind the capture point.
    word, span = _place(flow)
    return text, f"{word} of the others" if word and probes + needless else word, span


def _place(flow: Facts) -> tuple[str, str]:
    """Return the word for what the bin with most of the losses holds, and the span that has it.

    A bin with half of them or less is one of several, and the place is that of the flow.
    """
    lost, most = (way(flow, name) or 0 for name in ("retransmissions", "most_retransmissions"))
    if 2 * most <= lost or not most:
        return "", "flow"
    if most < lost:
        return "most", of_way(flow, "retransmissions")
    return "all" if lost > 1 else "", of_way(flow, "retransmissions")


def _merged(flow: Facts, again: int) -> str:
    """Return the sentence in bytes where records contain several segments; otherwise nothing."""
    sent, new = way(flow, "payload_bytes"), way(flow, "unique_bytes")
    if not way(flow, "super_segments") or way(flow, "recorded_twice") or not sent or new is None:
        return ""
    share = percent((sent - new) / sent)
    return (
        f"{size(sent - new)} of {size(sent)} retransmitted ({share}), in {counted(again, 'record')}"
    )
