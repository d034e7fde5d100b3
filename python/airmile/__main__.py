"""`airmile` and `python -m airmile`: signals are handled before anything else is imported."""

from __future__ import annotations

# `_signal` is the part of `signal` that imports nothing else. Until signals are handled, Ctrl-C
# ends the process as SIGTERM does, without a traceback.
import _signal  # type: ignore[import-not-found]

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import sys
from contextlib import suppress

from airmile import _signals, _streams


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    _streams.fill()
    _streams.make_room()
    try:
        with _signals.heard():
            from airmile import cli

            return cli.run(arguments)
    except BaseException as error:
        # The signal may have come during an import, which raises another error.
        if not _signals.cause(error):
            raise
        said, code = _signals.described(error)
        with suppress(OSError, AttributeError):
            sys.stderr.write(f"error: {said}\n")
        return code


if __name__ == "__main__":
    main()
