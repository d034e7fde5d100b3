"""An experiment: its file, the settings of a file, and the presets that it starts from."""
