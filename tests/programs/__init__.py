"""Recordings of ordinary programs with known truth: what each application wrote and read, and when.

The programs run unchanged over the testbed's link (root), under a tracer of system calls. What is
right follows from the system calls of both ends, the kernels and the link, not from the packets
that airmile reads. Scored by ``python -m tests.programs --help``.
"""
