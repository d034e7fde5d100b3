"""A chat over WebSocket: serve PORT MEAN_S MOST_BYTES, or URL SECONDS MEAN_S MOST_BYTES."""

from __future__ import annotations

import asyncio
import random
import sys
from typing import Any


async def _say(socket: Any, mean_s: float) -> None:
    while True:
        await asyncio.sleep(random.expovariate(1 / mean_s))
        await socket.send("x" * random.randint(20, int(sys.argv[4])))


async def _hear(socket: Any) -> None:
    async for _ in socket:
        pass


async def _talk(socket: Any) -> None:
    saying = asyncio.create_task(_say(socket, float(sys.argv[3])))
    try:
        await _hear(socket)
    finally:
        saying.cancel()


async def _serve() -> None:
    from websockets.asyncio.server import serve  # type: ignore[import-not-found]

    async with serve(_talk, "0.0.0.0", int(sys.argv[2]), ping_interval=3, compression=None):
        await asyncio.Future()


async def _join() -> None:
    from websockets.asyncio.client import connect  # type: ignore[import-not-found]

    async with connect(sys.argv[1], ping_interval=4, compression=None) as socket:
        talking = asyncio.create_task(_talk(socket))
        await asyncio.sleep(float(sys.argv[2]))
        talking.cancel()


if __name__ == "__main__":
    asyncio.run(_serve() if sys.argv[1] == "serve" else _join())
