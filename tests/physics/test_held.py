"""The limit of one connection if several share the radio."""

from __future__ import annotations

from airmile.testbed.hosts.sockets import Senders
from tests.physics.held import of_connections
from tests.support.made_up import dataset, every_10_ms, tti


def test_each_connection_is_labelled_by_itself() -> None:
    full, silent = every_10_ms(), every_10_ms(peer_port=5001, busy_us=0)
    ttis = [tti(number, 9000) for number in range(100)]
    truth = dataset(truth_ttis=ttis, truth_tcp=[*full, *silent])
    found = of_connections(truth, "downlink", Senders("server"))
    held = {port: [each.label for each in bins] for (port, _, _), bins in found.items()}
    assert held == {5000: ["link"], 5001: ["idle_or_app"]}
    (one,) = found[5000, 80, 0]
    assert (one.busy_ratio, one.served_ratio) == (1, 1)
    assert one.label_without_queue == "cwnd_or_path"
