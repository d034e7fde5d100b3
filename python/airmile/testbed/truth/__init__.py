"""The truth of a run: tables of what the link did, the labels, and the link in virtual time."""
