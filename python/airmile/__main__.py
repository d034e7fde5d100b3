"""`python -m airmile` is `airmile`."""

from airmile.cli import main

if __name__ == "__main__":
    main()
