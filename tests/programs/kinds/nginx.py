"""nginx as a server: its configuration, its files and its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.programs.program import APPS, PYTHON, Program

PORT, TLS_PORT, BACKEND = 8080, 8443, 9000

_CONFIGURATION = """\
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
    ssl_certificate {work}/cert.pem;
    ssl_certificate_key {work}/key.pem;
    ssl_session_cache shared:x:1m;
    proxy_buffering off;
    proxy_read_timeout 60s;
    SETTINGS
    server {
        LISTEN
        root {work}/files;
        location /up/ { dav_methods PUT; create_full_put_path on; }
        location /think/ { proxy_pass http://127.0.0.1:9000; }
        location /paced/ { alias {work}/files/; limit_rate RATE; }
    }
}
"""

_KEY, _CERTIFICATE = "{work}/key.pem", "{work}/cert.pem"

CERTIFICATE = (
    *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650"),
    *("-subj", "/CN=server.example", "-keyout", _KEY, "-out", _CERTIFICATE),
)
"""The command that makes a key and its certificate."""


def program(
    client: tuple[str, ...],
    sizes: Mapping[str, int],
    *,
    tls: str = "",
    settings: str = "",
    files: Mapping[str, str] | None = None,
    rate: str = "200k",
    think_ms: float = 0,
    **more: Any,
) -> Program:
    """Give nginx with files of some sizes, and its client.

    Parameters
    ----------
    client : tuple of str
        The client's command.
    sizes : mapping of str to int
        The files by name.
    tls : str
        The version of TLS, such as `TLSv1.3`; without it, HTTP is in clear.
    settings : str
        Further lines of the configuration.
    files : mapping of str to str, optional
        Further files.
    rate : str
        The rate of what is below `/paced/`.
    think_ms : float
        How long the application behind nginx takes for what is below `/think/`; 0: there is none.
    **more
        Further attributes of the program.
    """
    listen = f"listen {TLS_PORT} ssl http2; ssl_protocols {tls};" if tls else f"listen {PORT};"
    text = _CONFIGURATION.replace("SETTINGS", settings).replace("LISTEN", listen)
    made = tuple(
        ("truncate", "-s", str(size), f"{{work}}/files/{name}") for name, size in sizes.items()
    )
    own = {"nginx.conf": text.replace("RATE", rate), "files/index.html": "x" * 700}
    server: tuple[str, ...] = ("nginx", "-p", "{work}", "-c", "{work}/nginx.conf")
    server = (*server, "-e", "{work}/error.log")
    if think_ms:
        backend = f"{PYTHON} {APPS / 'backend.py'} {BACKEND} {think_ms}"
        server = ("sh", "-c", f"{backend} & exec {' '.join(server)}")
    return Program(
        server,
        client,
        TLS_PORT if tls else PORT,
        files={**own, **(files or {})},
        prepare=(CERTIFICATE, *made),
        **more,
    )


def curl(
    names: list[str], *more: str, tls: bool = False, host: str = "{server}"
) -> tuple[str, ...]:
    """Give the command of curl for some files."""
    outputs = [word for _ in names for word in ("-o", "/dev/null")]
    base = f"https://{host}:{TLS_PORT}" if tls else f"http://{host}:{PORT}"
    insecure = ["-k"] if tls else []
    return ("curl", "-q", "-sS", *insecure, *more, *outputs, *(f"{base}/{name}" for name in names))
