"""Experiments: the TOML file of an experiment, its settings, and the presets that it may name."""
