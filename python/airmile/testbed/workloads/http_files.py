"""Files that nginx serves and curl fetches, with the times that curl measures."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.hosts import rights
from airmile.testbed.workloads._client import SERVER, Say

NEEDS = ("curl",)

SERVER_NEEDS = ("nginx",)

PORT = 8080

CONFIGURATION = f"""\
daemon off;
master_process off;
pid nginx.pid;
error_log error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 100000;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{ listen {PORT} backlog=512; root files; }}
}}
"""
"""The configuration of nginx; all paths are relative, so that it uses no file of the system."""

_TIMES = {
    "connect_s": "time_connect",
    "first_byte_s": "time_starttransfer",
    "total_s": "time_total",
}

BRIEF = {"gap_s": 0.3}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The options of the files and the rounds.

    Parameters
    ----------
    bytes : list of int
        The sizes of the files, in the order in which they are fetched.
    rounds : int
        How often all files are fetched.
    gap_s : float
        The time between rounds.
    reconnect : bool
        Whether each file has its own connection; false: one connection for each round.
    """

    bytes: list[int] = field(metadata=POSITIVE, default_factory=lambda: [327_680, 2_000_000])
    rounds: int = field(default=1, metadata=POSITIVE)
    gap_s: float = 1
    reconnect: bool = False


def server(options: Options, folder: Path) -> list[str]:
    """Make the files and return the command of nginx."""
    files = folder / "files"
    files.mkdir(parents=True, exist_ok=True)
    for size in options.bytes:
        # The file is sparse: it takes no room on the disk.
        with (files / str(size)).open("wb") as file:
            file.truncate(size)
        (files / str(size)).chmod(0o644)
    files.chmod(0o755)
    (folder / "nginx.conf").write_text(CONFIGURATION)
    (folder / "nginx.conf").chmod(0o644)
    return ["nginx", "-p", str(folder), "-c", "nginx.conf", "-e", str(folder / "error.log")]


def server_port(_: Options) -> int:
    """Return the port of nginx."""
    return PORT


def run(options: Options, say: Say) -> None:
    """Fetch the files with curl."""
    addresses = [f"http://{SERVER}:{PORT}/{size}" for size in options.bytes]
    for number in range(options.rounds):
        time.sleep(options.gap_s if number else 0)
        for batch in [[each] for each in addresses] if options.reconnect else [addresses]:
            _fetch(batch, number, say)


def _fetch(addresses: list[str], number: int, say: Say) -> None:
    outputs = [word for _ in addresses for word in ("-o", "/dev/null")]
    command = ["curl", "-q", "-sS", "--fail", "--noproxy", "*", "-w", "%{json}\n", *outputs]
    began_unix = time.time()
    done = subprocess.run(
        [*command, *addresses],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        preexec_fn=rights.dying(),
    )
    for line in done.stdout.splitlines():
        timed = json.loads(line)
        times = {name: timed[theirs] for name, theirs in _TIMES.items()}
        ports = {"ue_port": timed["local_port"], "port": PORT}
        size = timed["size_download"]
        say("download", number=number, began_unix=began_unix, bytes=size, **ports, **times)
        # curl fetches the files one after the other.
        began_unix += timed["time_total"]
    if done.returncode:
        raise OSError(f"curl ended with code {done.returncode}")
