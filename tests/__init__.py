"""The tests of airmile, and the helpers that several of them use."""
