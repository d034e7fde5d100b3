"""HTTP by nginx and curl: keep-alive, uploads, and video in chunks."""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.kinds.links import chosen
from tests.programs.program import Case, Program, Traits, case

PORT = 8080

CONFIGURATION = """\
daemon off;
master_process off;
pid {work}/nginx.pid;
error_log {work}/error.log;
user root;
events { worker_connections 64; }
http {
    access_log off;
    sendfile on;
    client_max_body_size 100m;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    server { listen 8080; root {work}/files; }
}
"""


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    yield from _keep_alive(seed)
    yield from _video(seed)


def _nginx(client: tuple[str, ...], sizes: dict[str, int]) -> Program:
    made = tuple(
        ("truncate", "-s", str(size), f"{{work}}/files/{name}") for name, size in sizes.items()
    )
    return Program(
        ("nginx", "-p", "{work}", "-c", "{work}/nginx.conf", "-e", "{work}/error.log"),
        client,
        PORT,
        files={"nginx.conf": CONFIGURATION, "files/index.html": "x" * 700},
        prepare=made,
    )


def _curl(names: list[str], *more: str) -> tuple[str, ...]:
    outputs = [word for _ in names for word in ("-o", "/dev/null")]
    urls = [f"http://{{server}}:{PORT}/{name}" for name in names]
    return ("curl", "-sS", *more, *outputs, *urls)


def _keep_alive(seed: int) -> Iterator[Case]:
    """Give several files on one connection, with pauses between them."""
    for variant in ("small", "large"):
        link, chance = chosen(seed, "keep-alive", variant)
        most = 60_000 if variant == "small" else 2_000_000
        sizes = {f"f{number}": chance.randint(500, most) for number in range(6)}
        rate = chance.choice(["30/m", "60/m", "90/m"])
        client = _curl(list(sizes), "--rate", rate)
        yield case("http keep-alive", variant, seed, link, _nginx(client, sizes), Traits())


def _video(seed: int) -> Iterator[Case]:
    """Give chunks of video, each some seconds after the one before."""
    link, chance = chosen(seed, "video")
    sizes = {f"c{number}": chance.randint(700_000, 1_400_000) for number in range(5)}
    client = _curl(list(sizes), "--rate", chance.choice(["20/m", "30/m"]))
    yield case("video chunks", "curl", seed, link, _nginx(client, sizes), Traits())
