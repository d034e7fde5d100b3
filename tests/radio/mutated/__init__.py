"""Modem logs of a known link, mutated as logs are in practice, and whether airmile sees the link.

`link` makes what the link did, `rows` the rows of its log, `mutations` what may happen to them,
`writers` the files, and `check` compares the answer with the link.
"""
