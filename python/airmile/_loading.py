"""Loads the engine, in a thread that does not end.

The engine's allocator (mimalloc 3) takes the thread that loads the engine for the main thread, and
gives up its memory when that thread ends. A later thread that gets the same number from the system
is then taken for it, and the process crashes at its first allocation.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from importlib import import_module
from types import ModuleType

_NAME = "airmile._engine"
_loading = threading.Lock()


def engine() -> ModuleType:
    """Return the engine, and load it first if it is needed for the first time.

    Raises
    ------
    ImportError
        It cannot be loaded.
    """
    if threading.current_thread() is not threading.main_thread():
        with _loading:
            if _NAME not in sys.modules:
                _load_in_a_thread_that_stays()
    return import_module(_NAME)


def _load_in_a_thread_that_stays() -> None:
    tried = threading.Event()

    def load() -> None:
        with suppress(ImportError):
            import_module(_NAME)
        tried.set()
        if _NAME in sys.modules:
            threading.Event().wait()

    threading.Thread(target=load, name="airmile-engine", daemon=True).start()
    tried.wait()
