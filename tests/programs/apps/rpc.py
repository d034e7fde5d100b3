"""Calls and streams of gRPC: serve PORT PAUSE_MS, or TARGET KIND PAUSE_MS SECONDS."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

KINDS = ("unary", "download", "upload", "both")


def _pause(pause_ms: str) -> None:
    time.sleep(float(pause_ms) / 1e3 * random.uniform(0.5, 1.5))


def _message() -> bytes:
    return b"x" * random.choice([100, 900, 5_000, 60_000])


def _unary(_: bytes, __: Any) -> bytes:
    _pause(sys.argv[3])
    return _message()


def _download(request: bytes, _: Any) -> Iterator[bytes]:
    until = time.monotonic() + float(request)
    while time.monotonic() < until:
        _pause(sys.argv[3])
        yield _message()


def _upload(requests: Iterator[bytes], _: Any) -> bytes:
    return str(sum(map(len, requests))).encode()


def _both(requests: Iterator[bytes], _: Any) -> Iterator[bytes]:
    for each in requests:
        yield each[: len(each) // 2]


def _serve() -> None:
    import grpc  # type: ignore[import-not-found, import-untyped, unused-ignore]

    made = {
        "unary": grpc.unary_unary_rpc_method_handler(_unary),
        "download": grpc.unary_stream_rpc_method_handler(_download),
        "upload": grpc.stream_unary_rpc_method_handler(_upload),
        "both": grpc.stream_stream_rpc_method_handler(_both),
    }
    server = grpc.server(ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("x", made),))
    server.add_insecure_port(f"0.0.0.0:{sys.argv[2]}")
    server.start()
    server.wait_for_termination()


def _messages(pause_ms: str, seconds: float) -> Iterator[bytes]:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield _message()
        _pause(pause_ms)


def _call() -> None:
    import grpc

    target, kind, pause_ms, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
    with grpc.insecure_channel(target) as channel:
        if kind == "unary":
            ask = channel.unary_unary("/x/unary")
            for each in _messages(pause_ms, seconds):
                ask(each)
        elif kind == "download":
            list(channel.unary_stream("/x/download")(str(seconds).encode()))
        elif kind == "upload":
            channel.stream_unary("/x/upload")(_messages(pause_ms, seconds))
        else:
            list(channel.stream_stream("/x/both")(_messages(pause_ms, seconds)))


if __name__ == "__main__":
    _serve() if sys.argv[1] == "serve" else _call()
