"""The live estimate: when it becomes stale, its lines, and its answers over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterable
from http.client import HTTPConnection
from typing import Any

import pytest

from airmile._errors import OutputError, UsageError
from airmile.live import http, metrics, words
from airmile.live.burst import Burst
from airmile.live.link import DEMAND_WINDOW_S, MOST_USERS, Link
from airmile.live.watch import watch

MS = 10**6
BEGIN = 1_700_000_000 * 10**9


def burst(at_ms: int, length_ms: int, volume: int = 1000, user: int = 0) -> Burst:
    """Make a burst that begins `at_ms` after the log, and an average that is its own rate."""
    start, rate = BEGIN + at_ms * MS, volume * 8e3 / length_ms
    return Burst(
        user=user, start_ns=start, end_ns=start + length_ms * MS, bytes=volume, closed=True,
        throughput_time_ms=length_ms, active_ms=length_ms, contention_ms=0, throughput_bps=rate,
        average_bps=rate, average_low_bps=rate / 2, average_high_bps=rate * 2,
    )  # fmt: skip


def state(last_ms: int, **more: Any) -> dict[str, Any]:
    """Make the state of a log whose last record is at `last_ms`."""
    shown = {"first_ns": BEGIN, "last_ns": BEGIN + last_ms * MS, "skipped": {}, "open": []}
    return shown | more


def test_nothing_is_known_before_the_first_burst() -> None:
    found = Link().snapshot(0.0)
    assert (found.throughput_bps, found.link_demand_ratio, found.stale_s) == (None, None, None)
    assert found.reason == "no burst has ended yet"


def test_an_estimate_grows_stale_by_the_clock_of_this_machine() -> None:
    link = Link(stale_s=10.0)
    link.feed([burst(0, 100, 12_500)], state(101), now_s=50.0)
    fresh, stale = link.snapshot(59.9), link.snapshot(60.5)
    assert fresh.throughput_bps == 1e6
    assert fresh.stale_s == pytest.approx(9.9)
    assert (stale.throughput_bps, stale.estimate_low_bps, stale.estimate_high_bps) == (None,) * 3
    assert stale.stale_s == pytest.approx(10.5)
    assert stale.reason == "stale: the last burst ended 10.5 s ago"
    # A log without new records says nothing about the present.
    assert (stale.link_demand_ratio, stale.burst_open, stale.limited_by) == (None, None, None)


def test_an_estimate_grows_stale_by_the_log_too() -> None:
    link = Link(stale_s=10.0)
    link.feed([burst(0, 100)], state(101), now_s=50.0)
    link.feed([], state(11_101), now_s=50.1)
    found = link.snapshot(50.1)
    assert found.throughput_bps is None
    assert found.stale_s == pytest.approx(11.001)
    assert found.link_demand_ratio == 0.0


def test_link_demand_is_the_busy_share_of_the_last_seconds() -> None:
    link = Link()
    link.feed([burst(0, 4000), burst(9000, 3000)], state(14_000), 0.0)
    # The second burst covers three seconds of the window from 4 s to 14 s.
    assert link.snapshot(0.0).link_demand_ratio == pytest.approx(3 / DEMAND_WINDOW_S)
    open_burst = {"user": 0, "start_ns": BEGIN + 12_000 * MS, "end_ns": BEGIN + 16_000 * MS}
    link.feed([], state(16_000, open=[open_burst]), 0.0)
    found = link.snapshot(0.0)
    assert found.link_demand_ratio == pytest.approx(7 / DEMAND_WINDOW_S)
    assert (found.burst_open, found.limited_by) == (True, "lte_downlink")


def test_the_user_with_most_bytes_is_reported_and_users_are_bounded() -> None:
    link = Link()
    crowd = [burst(n, 1, 10, user=n) for n in range(3 * MOST_USERS)]
    link.feed([*crowd, burst(5000, 100, 10**6, user=7)], state(5101), 0.0)
    assert link.snapshot(0.0).user == 7
    assert len(link._users) == MOST_USERS
    assert link.totals().bursts == 3 * MOST_USERS + 1


def test_lines_for_people() -> None:
    line = words.text(burst(2500, 143, 1_200_000), name_user=False)
    assert line == "22:13:22.500   burst    143 ms    1.2 MB  67.1 Mbps   mean of 5 67.1 Mbps"


class Canned:
    """A stream of blocks that the test provides."""

    def __init__(self, batches: Iterable[tuple[list[Burst], dict[str, Any]]]) -> None:
        self._batches = iter(batches)
        self.silences: list[float] = []

    def read(self, timeout_s: float, silent_s: float) -> str | None:
        self.silences.append(silent_s)
        batch = next(self._batches, None)
        if batch is None:
            return None
        return json.dumps({"bursts": [vars(b) for b in batch[0]], "state": batch[1]})


def test_programs_get_a_line_per_burst_and_one_at_the_end() -> None:
    said: list[str] = []
    batches = [([], state(0)), ([burst(0, 100, 12_500), burst(200, 100, 37_500)], state(400))]
    watch(Canned(batches), Link(), said.append, "ndjson", lambda: 0.0)
    first, second, end = map(json.loads, said)
    assert (first["event"], first["throughput_bps"]) == ("burst", 1e6)
    assert (second["average_low_bps"], second["average_bps"]) == (1.5e6, 3e6)
    assert (end["event"], end["bursts"], end["bytes"]) == ("end", 2, 50_000)


def test_a_silent_modem_lets_time_go_on() -> None:
    clock = iter([0.0, 0.0, 0.5, 0.5, 0.9, 0.9, 3.0, 3.0, 3.1, 3.1, 3.2, 3.2])
    log = Canned([([], state(100)), ([], state(100)), ([], state(100)), ([], state(200))])
    watch(log, Link(), lambda _: None, "text", lambda: next(clock))
    # Less than a second without data is no silence, and new data end a silence.
    assert log.silences[0] == 0.0
    assert max(log.silences) > 1.0
    assert log.silences[-1] == 0.0


def test_text_shows_what_there_was() -> None:
    said: list[str] = []
    watch(Canned([([burst(0, 100)], state(400))]), Link(), said.append, "text", lambda: 0.0)
    assert said[-1] == (
        "end of the log: 1 burst, 1.0 KB in 400 ms, the downlink busy for 25 % of it"
    )
    said.clear()
    watch(Canned([]), Link(), said.append, "text", lambda: 0.0)
    assert said == ["end of the log: nothing in it that airmile reads"]


@pytest.fixture
def link() -> Link:
    """Return a link with one fresh burst."""
    link = Link()
    skipped = {'a "bad" checksum': 3}
    link.feed([burst(0, 100, 12_500)], state(200, skipped=skipped), now_s=0.0)
    return link


def get(base: str, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """Send a request to the server, and return the answer."""
    connection = HTTPConnection(base.removeprefix("http://"), timeout=10)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    answer = response.status, dict(response.headers), response.read().decode()
    connection.close()
    return answer


def test_bw_is_a_plain_number(link: Link) -> None:
    with http.serving(link, ("127.0.0.1", 0), now_s=lambda: 1.0) as base:
        status, headers, body = get(base, "/bw?cache=no", Origin="http://player.example")
    assert (status, body) == (200, "1000000.000")
    assert headers["Content-Type"].startswith("text/plain")
    assert "Access-Control-Allow-Origin" not in headers


def test_only_named_origins_may_read(link: Link) -> None:
    origin = "http://player.example"
    with http.serving(link, ("127.0.0.1", 0), (origin,), lambda: 1.0) as base:
        allowed = get(base, "/bw", Origin=origin)[1]
        other = get(base, "/bw", Origin="http://other.example")[1]
    assert allowed["Access-Control-Allow-Origin"] == origin
    assert "Access-Control-Allow-Origin" not in other


def test_a_stale_estimate_is_absent_everywhere(link: Link) -> None:
    with http.serving(link, ("127.0.0.1", 0), now_s=lambda: 99.0) as base:
        status, _, body = get(base, "/bw")
        document = json.loads(get(base, "/v1/link")[2])
        shown = get(base, "/metrics")[2]
    assert (status, body) == (503, "no estimate: stale: the last burst ended 99.0 s ago\n")
    assert document["throughput_bps"] is None and document["stale_s"] == 99.0
    assert "airmile_link_throughput_bps" not in shown
    assert "airmile_bursts_total 1\n" in shown


def test_the_document_of_the_link(link: Link) -> None:
    with http.serving(link, ("127.0.0.1", 0), now_s=lambda: 1.0) as base:
        document = json.loads(get(base, "/v1/link")[2])
        assert get(base, "/nothing")[0] == 404
    assert document == {
        "schema": 1, "source": "modem", "ts_ns": BEGIN + 200 * MS, "user": 0,
        "throughput_bps": 1e6, "estimate_low_bps": 0.5e6, "estimate_high_bps": 2e6,
        "link_demand_ratio": 0.5, "limited_by": "lte_downlink", "burst_open": False,
        "stale_s": 1.0, "reason": None,
    }  # fmt: skip


def test_metrics(link: Link) -> None:
    shown = metrics.text(link, 1.0)
    assert "airmile_link_throughput_bps 1e+06\n" in shown
    assert 'airmile_bytes_total{dir="downlink"} 12500\n' in shown
    assert r'airmile_modem_records_skipped_total{reason="a \"bad\" checksum"} 3' in shown


def test_an_address_that_is_taken_is_an_error(link: Link) -> None:
    with http.serving(link, ("127.0.0.1", 0)) as base:
        port = int(base.rsplit(":", 1)[1])
        with (
            pytest.raises(OutputError, match="cannot listen"),
            http.serving(link, ("127.0.0.1", port)),
        ):
            pass


@pytest.mark.parametrize("text", ["8000", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        http.address(text)
