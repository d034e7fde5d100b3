"""Datasets as the engine left them."""
