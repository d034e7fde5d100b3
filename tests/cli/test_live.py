"""The command `airmile live` reads a growing modem log from a pipe or a serial port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.cli.conftest import EMU, Airmile
from tests.support import diag

BEGIN_MS = 1_700_000_000_000


def burst(start: int, length: int = 200, size: int = 1500) -> list[diag.Block]:
    """Make a burst of full milliseconds with a small last one, on 50 PRBs."""
    last = start + length
    return [
        diag.Block(ms, 10 if ms == last else 50, size, harq=ms % 8, mcs=13)
        for ms in range(start, last + 1)
    ]


def two_bursts() -> bytes:
    """Make a log of two bursts, of 12 and of 24 Mbit/s, a second apart."""
    return diag.stream(burst(100), BEGIN_MS) + diag.stream(burst(1100, size=3000), BEGIN_MS)


def events(out: str) -> list[dict[str, Any]]:
    """Read lines of JSON."""
    return [json.loads(line) for line in out.splitlines()]


@contextmanager
def running(*words: str, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run `airmile live` beside the test."""
    command = [sys.executable, "-u", "-m", "airmile", "live", "--cell-prbs", "50", *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, preexec_fn=_hears_ctrl_c, **{**pipes, **more}) as process:
        try:
            yield process
        finally:
            process.kill()


def _hears_ctrl_c() -> None:
    """Restore SIGINT, which a test run in the background ignores."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_line_of_json_for_each_burst_in_a_pipe(airmile: Airmile) -> None:
    said = airmile(
        "live", "--modem", "-", "--cell-prbs", "50", "--listen", "off", stdin=two_bursts()
    )
    assert (said.code, said.err) == (0, "")
    first, second, end = events(said.out)
    assert (first["event"], first["throughput_time_ms"], first["bytes"]) == ("burst", 200, 300_000)
    assert (first["throughput_bps"], first["closed"]) == (12e6, True)
    assert (second["throughput_bps"], second["average_bps"]) == (24e6, 18e6)
    assert (second["average_low_bps"], second["average_high_bps"]) == (12e6, 24e6)
    assert (end["event"], end["bursts"], end["bytes"]) == ("end", 2, 900_000)


def test_rrc_is_no_concern_of_a_verb_that_shows_no_handovers(airmile: Airmile) -> None:
    message = diag.log(diag.RRC_LTE, BEGIN_MS, diag.rrc_lte(False, 1, 1300, b"\x22\x00"))
    said = airmile(
        "live", "--modem", "-", "--cell-prbs", "50", "--listen", "off", stdin=message + two_bursts()
    )
    assert (said.code, said.err) == (0, "")


def test_garbage_is_skipped_counted_and_said(airmile: Airmile) -> None:
    stream = diag.stream(burst(100), BEGIN_MS)
    damaged = stream[:300] + b"\x00garbage\x7e" + stream[300:]
    said = airmile(
        "live", "--modem", "-", "--cell-prbs", "50", "--listen", "off",
        stdin=damaged + diag.stream(burst(1100), BEGIN_MS),
    )  # fmt: skip
    *bursts, end = events(said.out)
    assert [each["closed"] for each in bursts] == [True, False]
    assert bursts[1]["bytes"] == 300_000
    assert end["skipped"]
    assert "skipped: " in said.err


def test_lines_for_people(airmile: Airmile) -> None:
    said = airmile(
        "live", "--modem", EMU / "a_link_cubic" / "modem_dl.csv.gz", "--cell-prbs", "50",
        "--listen", "off", "--format", "text",
    )  # fmt: skip
    *bursts, end = said.out.splitlines()
    assert said.code == 0
    assert len(bursts) > 2
    assert all("   burst " in line and "Mbps" in line for line in bursts[-2:])
    assert end.startswith("end of the log: ")
    assert f" {len(bursts)} burst" in end


def test_the_link_over_http_while_the_log_goes_on() -> None:
    with running("--modem", "-", "--listen", "127.0.0.1:0", "--format", "ndjson") as process:
        assert process.stdin and process.stdout and process.stderr
        base = process.stderr.readline().decode().split(": ")[0]
        # The second burst shows that the first has ended.
        process.stdin.write(two_bursts())
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        with urlopen(f"{base}/v1/link") as answer:
            link = json.load(answer)
        assert link["throughput_bps"] in (12e6, 18e6)
        assert link["estimate_low_bps"] == first["average_low_bps"] == 12e6
        assert link["ts_ns"] >= BEGIN_MS * 10**6
        with urlopen(f"{base}/bw") as answer:
            assert float(answer.read()) in (12e6, 18e6)
        process.stdin.close()
        assert process.wait() == 0


def test_a_burst_ends_although_the_modem_falls_silent() -> None:
    with running("--modem", "-", "--listen", "off", "--format", "ndjson") as process:
        assert process.stdin and process.stdout
        # The format is recognised from the first 4096 bytes.
        process.stdin.write(diag.stream(burst(100), BEGIN_MS))
        process.stdin.flush()
        shown = json.loads(process.stdout.readline())
        assert (shown["throughput_bps"], shown["closed"]) == (12e6, True)


def test_ctrl_c_is_quiet() -> None:
    with running("--modem", "-", "--listen", "127.0.0.1:0") as process:
        assert process.stderr
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        # Its input stays open meanwhile, because the end of a log would also end the run.
        assert process.wait(30) == 130
        assert process.communicate() == (b"", b"")


def test_a_closed_pipe_is_quiet() -> None:
    with running("--modem", "-", "--listen", "off", "--format", "ndjson") as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(two_bursts())
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        for start in range(2100, 90_000, 1000):
            try:
                # Written around the file's buffer, which would be flushed again when it is closed.
                os.write(process.stdin.fileno(), diag.stream(burst(start), BEGIN_MS))
            except BrokenPipeError:
                break
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "modem"
    os.mkfifo(pipe)
    with running("--modem", str(pipe), "--listen", "off", "--format", "ndjson") as process:
        assert process.stdout
        pipe.write_bytes(two_bursts())
        assert [each["event"] for each in events(process.stdout.read().decode())] == [
            "burst"
        ] * 2 + ["end"]
        assert process.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals of this kind")
def test_a_serial_port_lets_every_byte_through() -> None:
    host, device = os.openpty()
    stream = two_bursts()
    # Carriage returns, Ctrl-C and XOFF would be changed or swallowed by a terminal.
    assert {0x0D, 0x03, 0x11} <= set(stream)
    with running("--modem", os.ttyname(device), "--listen", "off", "--format", "ndjson") as process:
        assert process.stdout
        writer = threading.Thread(target=_write_when_raw, args=(host, device, stream))
        writer.start()
        first, second = (json.loads(process.stdout.readline()) for _ in range(2))
        writer.join()
        assert (first["bytes"], second["bytes"]) == (300_000, 600_000)
    os.close(host)
    os.close(device)


def _write_when_raw(host: int, device: int, stream: bytes) -> None:
    """Write when the device is in raw mode, like a modem that was attached before."""
    import termios

    while termios.tcgetattr(device)[3] & termios.ICANON:
        pass
    while stream:
        stream = stream[os.write(host, stream[:1024]) :]


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        ((), 2, "--modem"),
        (("--modem", "nothing"), 3, "nothing"),
        (("--modem", "-", "--listen", "somewhere"), 2, "--listen somewhere: not an address"),
        (("--modem", "-", "--listen", "192.0.2.1:80"), 5, "cannot listen on 192.0.2.1:80"),
        (("--modem", "-", "--cell-prbs", "wide"), 2, "--cell-prbs wide"),
    ],
)
def test_what_cannot_be_done_is_said(
    airmile: Airmile, words: tuple[str, ...], code: int, shown: str
) -> None:
    said = airmile("live", *words, stdin=b"")
    assert said.code == code
    assert shown in said.err
    assert "Traceback" not in said.err
