"""Every cause of the engine has a module that declares it, and there are no other modules."""

from __future__ import annotations

import pkgutil
from typing import Any

import pytest

from airmile import causes
from airmile.answers.verdict import _evidence
from airmile.causes import cause_name
from airmile.testbed.scoring.cause import FITS
from tests.support.handmade import flow

KEYS = tuple(causes.every())


def test_a_cause_has_a_module_and_a_module_a_cause() -> None:
    modules = {found.name for found in pkgutil.iter_modules(causes.__path__)}
    assert {name for name in modules if not name.startswith("_")} == set(KEYS)


def test_no_two_look_alike() -> None:
    looks = {(it.declared.colour, it.declared.hatch) for it in causes.every().values()}
    assert len(looks) == len(KEYS)


def test_labels_are_those_of_the_testbed() -> None:
    known = set(FITS) - {"mixed_link_cwnd"}
    for key, cause in causes.every().items():
        assert cause.declared.satisfies <= known, key


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("downlink", [True, False])
@pytest.mark.parametrize("vantage", ["ue", "monitor", "server", None])
def test_null_columns_are_not_mentioned(key: str, downlink: bool, vantage: str | None) -> None:
    case = causes.Case(Nulls(), downlink, vantage)
    declared = causes.cause(key).declared
    assert list(declared.evidence(case)) == []
    assert list(declared.headline(case)) == []
    for text in declared.advice(case):
        assert "None" not in text
        assert "  " not in text


class Nulls(dict[str, None]):
    def __missing__(self, column: str) -> None:
        return None


def test_a_link_that_nothing_proves_cellular_is_an_access_link() -> None:
    assert cause_name("lte_uplink", cellular=True) == "LTE uplink"
    assert cause_name("lte_uplink") == "access link, uplink"
    assert cause_name("loss_recovery") == cause_name("loss_recovery", cellular=True)


def test_a_cause_unknown_here_keeps_its_key_as_words() -> None:
    assert cause_name("made_up") == "made up"


TRIP = {
    "handshake_rtt_ms": 40.0, "loop_ms": 20.0, "path_rtt_ms": 20.0, "round_trips": 3,
    "tls_handshake_ms": 81.0, "median_bytes": 500, "server_wait_ms": None,
}  # fmt: skip


def test_a_round_trip_names_the_loop_that_the_capture_sees() -> None:
    case = causes.Case({**flow(1), **TRIP}, True, "monitor")
    declared = causes.cause("round_trip").declared
    (named,) = declared.headline(case)
    assert named.replace("\u00a0", " ") == "20 ms from the capture point to the server and back"
    (whole,) = declared.headline(causes.Case({**flow(1), **TRIP}, True, "ue"))
    assert whole.replace("\u00a0", " ") == "20 ms to the server and back"


def test_a_round_trip_saved_is_worth_what_the_model_says() -> None:
    """TLS 1.2 takes three round trips of 40 ms, 1.3 takes two, an open connection takes none."""
    case = causes.Case({**flow(1), **TRIP}, True, "monitor")
    fewer, newer, nearer = (
        text.replace("\u00a0", " ") for text in causes.cause("round_trip").declared.advice(case)
    )
    assert "HTTP/3 (saves about 40 ms per request that does not wait for another)" in fewer
    assert "0-RTT (saves about 120 ms per new connection)" in fewer
    assert newer == "TLS 1.3 instead of 1.2 (saves about 40 ms per new connection)"
    # Four round trips, with 10 of the 20 ms of each beyond the capture point.
    assert "(saves about 40 ms per new connection that moves 500 B)" in nearer
    # At the phone nothing shows which part of the round trip a nearer server would shorten.
    at_phone = causes.Case({**flow(1), **TRIP}, True, "ue")
    *_, nearer = causes.cause("round_trip").declared.advice(at_phone)
    assert "saves" not in nearer


@pytest.mark.parametrize(
    ("handshake_ms", "said"),
    [(237.0, "handshake 237 ms (the round trip of requests was 40 ms)"), (79.0, "handshake 79 ms")],
)
def test_a_handshake_much_longer_than_requests_is_explained(handshake_ms: float, said: str) -> None:
    shown = texts("handshake_dns", {**TRIP, "handshake_rtt_ms": handshake_ms})
    assert shown == [said, "TLS handshake 81 ms"]


def test_a_request_saves_the_round_trip_of_requests() -> None:
    """A handshake of 1.4 s, beside requests that take 680 ms, is the delay of that moment."""
    facts = {**flow(1), **TRIP, "loop_ms": 680.0, "handshake_rtt_ms": 1380.0}
    fewer, *_ = causes.cause("round_trip").declared.advice(causes.Case(facts, True, "ue"))
    assert "saves about 680 ms per request" in fewer.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("syns", "opening_ms", "said"),
    [
        (1, 81.0, ["TLS handshake 81 ms"]),
        (2, 1181.0, ["the SYN was sent 2 times", "TLS handshake 81 ms"]),
        (
            11,
            81.0,
            [
                "the SYN was sent 11 times",
                "the ClientHello in the SYN waited with it: TCP and TLS took 81 ms",
            ],
        ),
    ],
)
def test_tls_takes_no_time_of_syns_that_were_repeated(
    syns: int, opening_ms: float, said: list[str]
) -> None:
    known = {"handshake_rtt_ms": None, "ul_syn": syns, "dl_syn": 1}
    time_ns = {"time_ns": {"handshake_dns": opening_ms * 1e6}}
    assert texts("handshake_dns", {**TRIP, **known, **time_ns}) == said


@pytest.mark.parametrize(
    ("port", "tls_ms", "is_web"),
    [(443, None, True), (8443, None, True), (9000, None, False), (9000, 81.0, True)],
)
def test_http_is_advised_where_it_may_be_spoken(
    port: int, tls_ms: float | None, is_web: bool
) -> None:
    facts = {**flow(1), **TRIP, "server_port": port, "tls_handshake_ms": tls_ms}
    fewer, *_ = causes.cause("round_trip").declared.advice(causes.Case(facts, True, "ue"))
    assert ("HTTP/2" in fewer) == is_web
    assert is_web or fewer.startswith("fewer round trips: ask for more at once")


@pytest.mark.parametrize("port", [21, 22, 25])
def test_what_is_no_web_server_gets_no_advice_for_the_web(port: int) -> None:
    facts = {**flow(1), **TRIP, "server_port": port}
    advice = list(causes.cause("round_trip").declared.advice(causes.Case(facts, True, "ue")))
    probed = {**facts, "dl_retransmissions": 0, "dl_tail_probes": 6, "timeouts_seen": 0}
    advice += causes.cause("loss_recovery").declared.advice(causes.Case(probed, True, "ue"))
    assert advice and not any("HTTP" in text or "QUIC" in text for text in advice)


@pytest.mark.parametrize(("vantage", "told"), [("ue", False), ("monitor", True), (None, True)])
def test_what_passed_next_to_the_receiver_has_arrived(vantage: str | None, told: bool) -> None:
    facts: Any = Nulls()
    facts |= {"direction": "downlink", "vantage": vantage, "server": "192.0.2.1", "time_ns": {}}
    facts |= {"undelivered_bytes": 3000, "bytes": 9000, "judged_s": 1.0, "uplink_ns": {}}
    assert ("not acknowledged when the connection was reset" in _evidence.title(facts)) == told


@pytest.mark.parametrize("key", ["handshake_dns", "upstream_path", "round_trip"])
def test_a_trip_too_short_for_the_clock_is_not_reported(key: str) -> None:
    columns = ("handshake_rtt_ms", "tls_handshake_ms", "upstream_rtt_ms", "path_rtt_ms")
    case = causes.Case(Nulls(dict.fromkeys(columns, 0.0)), True, "monitor")  # type: ignore[arg-type]
    assert list(causes.cause(key).declared.evidence(case)) == []


def test_an_upload_is_read_by_the_server() -> None:
    facts = {**flow(1), "direction": "uplink", "dl_zero_windows": 2, "ul_zero_window_s": 1.5}
    declared = causes.cause("receiver_app").declared
    case = causes.Case(facts, False, "monitor")
    assert [text.replace("\u00a0", " ") for text in declared.evidence(case)] == [
        "the server's window was closed for 1.5 s in all, as 2 packets said"
    ]
    advice = list(declared.advice(case))
    assert advice and all("phone" not in text for text in advice)
    (window,) = causes.cause("receive_window").declared.advice(
        causes.Case({**facts, "handshake_rtt_ms": None}, False, "monitor")
    )
    assert "the server's application" in window


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("most of the receiver's buffer stays full: the receiving application reads slowly", True),
        ("the window is closed: the receiving application does not read", False),
    ],
)
def test_what_a_slow_reader_leaves_free_is_said(reason: str, said: bool) -> None:
    facts = {"dl_offered_max_bytes": 43_400, "reasons": {"receiver_app": reason}}
    facts |= {"ul_zero_windows": 0, "zero_window_s": 0.0}
    given = texts("receiver_app", facts)
    assert ("less than half of the 43.4 KB that the phone once offered was free" in given) is said


def texts(cause: str, facts: dict[str, Any]) -> list[str]:
    declared = causes.cause(cause).declared
    found = declared.evidence(causes.Case({**flow(1), **facts}, True, "monitor"))
    return [text.replace("\u00a0", " ") for text in found]


def test_a_cause_that_denies_a_queue_says_how_short_a_queue_would_be_hidden() -> None:
    facts = {
        "direction": "downlink", "initial_window_bytes": None,
        "in_flight_bytes": {"congestion_window": 29_200},
        "named_ns": {}, "least_queue_ms": {"congestion_window": 12.0, "slow_start": 2.0},
    }  # fmt: skip
    assert texts("congestion_window", facts) == [
        "up to 29 200 B in flight",
        "a queue of less than 12 ms would not have shown here",
    ]
    assert texts("slow_start", facts) == ["a queue of less than 2 ms would not have shown here"]
    declared = causes.cause("congestion_window").declared
    at_phone = list(declared.evidence(causes.Case({**flow(1), **facts}, True, "ue")))
    assert not any("in flight" in text for text in at_phone)


@pytest.mark.parametrize(
    ("vantage", "shown"),
    [
        ("ue", "in the whole flow at least 2 retransmission timeouts"),
        ("monitor", "in the whole flow 2 retransmission timeouts"),
    ],
)
def test_the_phone_sees_the_least_number_of_timeouts(vantage: str, shown: str) -> None:
    facts = {**flow(1), "dl_retransmissions": 0, "dl_tail_probes": 0, "timeouts_seen": 2}
    declared = causes.cause("loss_recovery").declared
    case = causes.Case({**facts, "undesired_slow_starts": 0}, True, vantage)
    assert [text.replace("\u00a0", " ") for text in declared.evidence(case)] == [shown]


@pytest.mark.parametrize(
    ("named", "shown"),
    [("lte_downlink,congestion_window", 1), ("receive_window,sender_app", 0)],
)
def test_of_what_is_open_only_a_link_or_a_window_does(named: str, shown: int) -> None:
    times = {f"undetermined,{named}": 7, "undetermined": 2, "lte_downlink": 9}
    facts = {"named_ns": times, "least_queue_ms": {"undetermined": 12.0}}
    assert len(texts("undetermined", facts)) == shown


def test_probes_that_repair_are_named() -> None:
    """A tail loss probe finds a loss at the end, so RACK-TLP is on (RFC 8985)."""
    probed = {**flow(1), "dl_retransmissions": 0, "dl_tail_probes": 6, "timeouts_seen": 0}
    probed["undesired_slow_starts"] = 0
    declared = causes.cause("loss_recovery").declared
    shown = [
        text.replace("\u00a0", " ") for text in declared.evidence(causes.Case(probed, True, None))
    ]
    assert shown == [
        "in the whole flow 6 tail loss probes (the last packet once more, to elicit an ACK)"
    ]
    (advice,) = declared.advice(causes.Case(probed, True, None))
    assert "RACK" not in advice
    (other,) = declared.advice(causes.Case({**probed, "dl_retransmissions": 1}, True, None))
    assert "RACK-TLP" in other


@pytest.mark.parametrize(
    ("recovering", "words"),
    [(0.05, "packets waited 900 ms"), (0.06, "outside of loss recovery packets waited 900 ms")],
)
def test_a_mean_without_the_time_of_recovery_is_named(recovering: float, words: str) -> None:
    known = {**flow(1), "self_inflicted_delay_ms": 900.0, "recovering_ratio": recovering}
    case = causes.Case({**known, "bandwidth_bps": None}, True, "monitor")
    declared = causes.cause("lte_downlink").declared
    (shown,) = declared.evidence(case)
    assert shown.replace("\u00a0", " ").startswith(words)
    assert any("900" in text for text in declared.advice(case)) == (recovering <= 0.05)


def test_acks_in_a_full_uplink_are_told_apart_from_a_full_downlink() -> None:
    facts = {**flow(1), "self_inflicted_delay_ms": 40.0, "bandwidth_bps": 2e7}
    declared = causes.cause("lte_uplink").declared
    download = causes.Case(facts, True, "monitor")
    assert list(declared.evidence(download)) == []
    (advice,) = declared.advice(download)
    assert "ACKs" in advice
