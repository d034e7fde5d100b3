"""Helpers that make data for the tests."""
