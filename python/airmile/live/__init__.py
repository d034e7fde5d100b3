"""The radio as it goes: a line for each burst, and the estimate over HTTP (methods G4).

engine (a modem's log as it arrives) -> `feed` -> :class:`~airmile.live.link.Link` -> lines of
`words`, answers of `http`. The log's own clock counts; only how stale an estimate has become is
told by the clock of this machine, which is an argument here too.
"""
