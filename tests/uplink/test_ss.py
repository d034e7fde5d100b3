"""The reader of `ss -ti`, for each form of its output."""

from __future__ import annotations

from pathlib import Path

import pytest

from airmile import InputError
from airmile.uplink import read_ss
from airmile.uplink.ss import parse

INDENTED = """\
1700000000.100000000
State Recv-Q Send-Q  Local Address:Port   Peer Address:Port Process
ESTAB 0      94120      10.0.0.7%wlan0:38986  192.0.2.9:443
\t cubic wscale:7,10 rto:204 rtt:1043.125/12.5 mss:1388 rcvmss:536 cwnd:60 bytes_sent:505000 \
bytes_acked:421889 segs_out:300 send 26Mbps unacked:60 rcv_rtt:77/2 minrtt:41.5
ESTAB 0 0 10.0.0.7:22 192.0.2.1:5555
\t cubic rto:200 mss:1388
2023-11-14T22:13:20.500000+00:00
ESTAB 0 0 [2001:db8::7]:40000 [2001:db8::9]:80
\t bbr rtt:40/1 mss:1368 bytes_acked:9
"""


def test_each_socket_with_a_round_trip_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "x.ss").write_text(INDENTED)
    first, second = read_ss(tmp_path / "x.ss").to_pylist()
    assert first == {
        **{"time_ns": 1_700_000_000_100_000_000, "local_port": 38986, "peer_port": 443},
        **{"rtt_us": 1_043_125, "snd_mss": 1388, "bytes_sent": 505_000},
        **{"bytes_acked": 421_889, "unacked": 60, "cwnd": 60},
    }
    assert second["time_ns"] == 1_700_000_000_500_000_000
    assert (second["local_port"], second["rtt_us"], second["bytes_sent"]) == (40000, 40_000, None)


def test_one_line_per_socket() -> None:
    line = "tcp   ESTAB 0 0 10.0.0.7:38986 192.0.2.9:443 cubic rcv_rtt:9/9 rtt:43.5/2 mss:1400"
    (row,) = parse(["1700000000", line])
    assert (row["rtt_us"], row["peer_port"]) == (43_500, 443)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ESTAB 0 0 10.0.0.7:1 192.0.2.9:2\n\t rtt:1/1\n",  # no time
        "1700000000\nESTAB 0 0 10.0.0.7:ssh 192.0.2.9:https\n\t rtt:1/1\n",  # names
        "1700000000\n\t rtt:1/1\n",  # no socket
        "\x00\xff nothing \n99999999999999999999\n",
    ],
)
def test_text_without_a_round_trip_is_refused_with_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.ss").write_text(text)
    with pytest.raises(InputError) as refused:
        read_ss(tmp_path / "x.ss")
    assert "date" in (refused.value.hint or "")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError):
        read_ss(Path("/nowhere/x.ss"))
