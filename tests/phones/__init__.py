"""Recordings of a phone with two address families over the testbed's link, with its RRC truth.

A phone in a network namespace has a cellular interface with IPv4 and IPv6 (odd seeds), or with
IPv6 alone and 464XLAT by tayga (even seeds), and a wireless LAN beside it. Its exchanges follow
each other after silences around the tail, and captures on the phone cover parts of the time only.
What is right follows from the state of the emulated radio in each millisecond, from the first
packet of a capture to the end of the tail after its last. Scored by
``python -m tests.phones --help``.
"""
