"""A mail server that looks at each mail for a time before it takes it: PORT THINK_MS."""

from __future__ import annotations

import asyncio
import sys
from typing import Any


class Handler:
    """Takes every mail, after a time."""

    async def handle_DATA(self, *_: Any) -> str:  # noqa: N802
        """Look at a mail."""
        await asyncio.sleep(float(sys.argv[2]) / 1e3)
        return "250 taken"


def main() -> None:
    """Serve until the end."""
    from aiosmtpd.controller import Controller  # type: ignore[import-not-found]

    controller = Controller(
        Handler(), hostname="0.0.0.0", port=int(sys.argv[1]), data_size_limit=100_000_000
    )
    controller.start()
    asyncio.new_event_loop().run_forever()


if __name__ == "__main__":
    main()
