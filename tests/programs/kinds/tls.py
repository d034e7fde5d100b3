"""HTTPS and HTTP/2: nginx and curl, nghttpd and nghttp.

They need nginx, curl, openssl, nghttp2-server and nghttp2-client.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.kinds import nginx
from tests.programs.kinds.links import chosen
from tests.programs.program import Case, Program, Traits, case

TLS = Traits(tls=True, least_request=41)
"""Records of SETTINGS, their ACKs, and WINDOW_UPDATE are shorter."""


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    yield from _versions(seed)
    yield from _resumed(seed)
    yield from _http2(seed)


def _versions(seed: int) -> Iterator[Case]:
    for version in ("1.2", "1.3"):
        link, chance = chosen(seed, "tls", version)
        names = [f"think/{number}" for number in range(8)]
        options = ("--http1.1", "--tls-max", version, "--rate", "90/m")
        client = nginx.curl(names, *options, tls=True)
        think_ms = chance.choice([30, 150, 400])
        program = nginx.program(client, {}, tls=f"TLSv{version}", think_ms=think_ms)
        yield case("tls requests", version, seed, link, program, TLS)


def _resumed(seed: int) -> Iterator[Case]:
    """Give a connection for each file, of which all but the first resume the session."""
    for version in ("1.2", "1.3"):
        link, chance = chosen(seed, "resumed", version)
        sizes = {f"f{number}": chance.randint(2_000, 300_000) for number in range(6)}
        options = ("--http1.1", "--tls-max", version, "--rate", "60/m")
        client = nginx.curl(list(sizes), *options, tls=True)
        program = nginx.program(
            client, sizes, tls=f"TLSv{version}", settings="keepalive_timeout 0;"
        )
        yield case("tls resumed", version, seed, link, program, TLS)


def _http2(seed: int) -> Iterator[Case]:
    link, chance = chosen(seed, "h2", "curl")
    sizes = {f"f{number}": chance.randint(20_000, 2_000_000) for number in range(6)}
    client = nginx.curl(list(sizes), "--http2", "--rate", "60/m", tls=True)
    yield case("http2", "curl", seed, link, nginx.program(client, sizes, tls="TLSv1.3"), TLS)

    link, chance = chosen(seed, "h2", "think")
    names = [f"think/{number}" for number in range(8)]
    client = nginx.curl(names, "--http2", "--rate", "80/m", tls=True)
    program = nginx.program(client, {}, tls="TLSv1.3", think_ms=chance.choice([80, 250]))
    yield case("http2", "think", seed, link, program, TLS)

    link, chance = chosen(seed, "h2", "upload")
    body = ("truncate", "-s", str(chance.randint(3_000_000, 6_000_000)), "{work}/files/body")
    files = {"files/index.html": "x" * 500}
    server = ("nghttpd", "-d", "{work}/files", "8443", "{work}/key.pem", "{work}/cert.pem")
    upload = ("nghttp", "-n", "-d", "{work}/files/body", "https://{server}:8443/index.html")
    made = (nginx.CERTIFICATE, body)
    yield case("http2", "upload", seed, link, Program(server, upload, 8443, files, made), TLS)

    link, chance = chosen(seed, "h2", "load")
    load = ("h2load", "-c", "1", "-m", "4", "-n", "60", "--rps", str(chance.randint(6, 10)))
    page = ("https://{server}:8443/index.html",)
    yield case("http2", "load", seed, link, Program(server, (*load, *page), 8443, files, made), TLS)
