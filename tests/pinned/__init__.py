"""The score tables of the recorded sets; each line must equal its recorded value.

::

    python -m tests.pinned [TABLE]...            # print what differs from the recorded tables
    python -m tests.pinned --write [TABLE]...    # record the present values

The recordings are kept with the project, and nothing in a dataset depends on the machine, on the
time or on the number of threads. So the tolerance of every line is 0: a value equals the recorded
one to the digits that are written, four of each number and at most six decimals. A change that
makes a line better or worse shows as a change of that line, beside the change of the code.
"""
