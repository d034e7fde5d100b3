"""The radio while it is recorded: a line for each burst, and the estimate over HTTP (methods G4).

engine (a modem's log as it arrives) -> `feed` -> :class:`~airmile.live.link.Link` -> lines of
`words`, answers of `http`. Instants are those of the log; only the age of an
estimate is measured by the clock of this machine, which is an argument here too.
"""
