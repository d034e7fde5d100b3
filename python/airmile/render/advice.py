"""What to try next: keyed by cause, and by what the user has already set.

Advice names the knob and, where the tables know it, the number. It never repeats what was done:
who gave a vantage is not told to give one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import cause_name, counted, rate, size

if TYPE_CHECKING:
    from airmile.verdict import FlowVerdict, Verdict

WORTH_ADVICE = 0.15
"""A cause below this share of the time gets no advice: mending it would change little."""

MOST = 4
"""More advice than this is not read."""


def advice(verdict: Verdict) -> list[str]:
    """Return what to try, what matters most first."""
    found = [*_about_input(verdict), *_about_causes(verdict), *_about_certainty(verdict)]
    return list(dict.fromkeys(found))[:MOST]


def _about_input(verdict: Verdict) -> Iterator[str]:
    manifest = verdict.dataset.manifest
    if manifest["status"] == "partial":
        yield "copy the damaged capture again: what follows the damage is missing above"
    if not verdict.shares and verdict.dataset.where_condition:
        yield f'see which flows there are: airmile query {verdict.dataset.path} "FROM flows"'
    elif not verdict.shares:
        yield (
            "capture a TCP download of more than a second, with both directions and from its "
            "first packet: tcpdump -s 128 -w phone.pcap"
        )


def _about_causes(verdict: Verdict) -> Iterator[str]:
    flows = verdict.top_flows(1) if verdict.shares else ()
    for cause, share in verdict.shares.items():
        if share >= WORTH_ADVICE and cause in _ADVICE and flows:
            yield from (f"{cause_name(cause)}: {t}" for t in _ADVICE[cause](verdict, flows[0]))


def _about_certainty(verdict: Verdict) -> Iterator[str]:
    if verdict.shares.get("undetermined", 0.0) < WORTH_ADVICE:
        return
    manifest = verdict.dataset.manifest
    faults = str(verdict.top_flows(1)[0].facts["quality"]).split(",")
    if "one_sided" in faults:
        yield "capture both directions: a mirror port or an asymmetric route often shows only one"
    elif "mid_stream" in faults:
        yield "begin the capture before the transfer: the handshake tells the window scale"
    if manifest["vantage"]["value"] is None:
        yield "say where the capture was taken: --vantage ue, monitor or server"
    if not manifest["ue_nets"]:
        yield "say which addresses are phones (--ue-net 10.0.0.0/8), if they were mistaken"


def _downlink(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield (
        "the radio is full: send fewer bytes (bitrate, compression, caching) or accept the rate; "
        "neither a faster server nor a larger window would help"
    )
    extra = flow.facts.get("self_inflicted_delay_ms")
    if extra is not None and extra >= 50:
        yield (
            f"the standing queue adds {extra:.0f}\u00a0ms to everything else the phone does: a "
            "sender that keeps queues short (BBR), or fewer parallel transfers, gives it back"
        )


def _uplink(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield "the radio is full: send less at once, or later; larger buffers only add delay"


def _device(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield (
        "the queue stands inside the phone: limit its send buffer (SO_SNDBUF, "
        "TCP_NOTSENT_LOWAT) so that the data waits in the application"
    )


def _window(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    needed = _bandwidth_delay(verdict, flow)
    amount = f" to {size(needed)} or more ({_product(verdict, flow)})" if needed else ""
    yield (
        f"raise the receive buffer of the phone's application{amount}: leave SO_RCVBUF unset so "
        "that the system tunes it, or raise net.ipv4.tcp_rmem"
    )


def _reader(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield "the application on the phone reads too slowly: look for work done between two reads"


def _slow_start(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield (
        "transfers end before the window has grown: reuse connections, fetch fewer and larger "
        "objects, or raise the initial window at the server (ip route ... initcwnd)"
    )


def _restart(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield (
        "the sender starts again after each pause: set net.ipv4.tcp_slow_start_after_idle=0 at "
        "the server, and at a proxy between (the same object over another port shows one)"
    )


def _congestion(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield (
        "the sender holds back although the radio link is not full: look for losses or delay "
        "upstream that shrank its window, and try another congestion control"
    )


def _losses(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    timeouts = flow.facts.get("timeouts_seen")
    told = f" ({counted(timeouts, 'timeout')} in the heaviest flow)" if timeouts else ""
    yield f"losses stall the sender{told}: check that SACK and RACK-TLP are on at the server"


def _undesired(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield (
        "timeouts come while data still moves: the sender's RTO does not follow the growing RTT; "
        "a kernel that samples RTT from SACK (Linux 3.12 or newer) avoids most of them"
    )


def _sender(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    if flow.facts["direction"] == "uplink":
        yield "the phone had nothing to send: look at what its application waits for"
        return
    yield (
        "the server had nothing to send: look at its application and its disk, or at pacing by "
        "design (video comes in bursts)"
    )


def _upstream(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield "the path between capture point and server holds data up: capture at the server as well"


def _opening(verdict: Verdict, flow: FlowVerdict) -> Iterator[str]:
    yield (
        "waiting for the radio, the name and the connection dominates: keep connections open, "
        "prefetch names, or batch requests before the radio sleeps"
    )


_ADVICE: Mapping[str, Callable[[Any, Any], Iterator[str]]] = {
    "lte_downlink": _downlink,
    "lte_uplink": _uplink,
    "device_queue": _device,
    "receive_window": _window,
    "receiver_app": _reader,
    "slow_start": _slow_start,
    "slow_start_restart": _restart,
    "congestion_window": _congestion,
    "loss_recovery": _losses,
    "undesired_slow_start": _undesired,
    "sender_app": _sender,
    "upstream_path": _upstream,
    "promotion_delay": _opening,
    "handshake_dns": _opening,
}


def _whole_rtt_ms(flow: FlowVerdict) -> float | None:
    """Return the least round trip from server to phone and back: the handshake's."""
    rtt: float | None = flow.facts.get("handshake_rtt_ms")
    return rtt


def _bandwidth_delay(verdict: Verdict, flow: FlowVerdict) -> float | None:
    """Return the bytes that fill the link for one round trip."""
    rtt = _whole_rtt_ms(flow)
    if verdict.available_bps is None or rtt is None:
        return None
    return verdict.available_bps / 8 * rtt / 1000


def _product(verdict: Verdict, flow: FlowVerdict) -> str:
    trip = f"{_whole_rtt_ms(flow):.0f}\u00a0ms"
    return f"{rate(verdict.available_bps or 0)} times the round trip of {trip}"
