"""An experiment: its file, what the file may say, and what it begins from."""
