"""Score tables of the recorded sets, each line held to the value that was recorded.

::

    python -m tests.pinned [TABLE]...            # what differs from the recorded tables
    python -m tests.pinned --write [TABLE]...    # records what is reached now

The recordings are kept with the project, and nothing in a dataset depends on the machine, on the
time or on the number of threads. So the tolerance of every line is 0: a value equals the recorded
one to the digits that are written, four of each number and at most six decimals. A change that
makes a line better or worse shows as a change of that line, beside the change of the code.
"""
