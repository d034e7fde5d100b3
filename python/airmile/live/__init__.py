"""The radio while it is recorded: a line for each burst, and the estimate over HTTP (methods G4).

The engine reads a modem log while it is written; `feed` passes its bursts to
:class:`~airmile.live.link.Link`; `words` writes the lines, and `http` answers requests. Instants
are those of the log. Only the age of an estimate is measured by the clock of this machine, which
functions here take as an argument.
"""
