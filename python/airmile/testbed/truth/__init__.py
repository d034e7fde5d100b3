"""The truth of a run (methods H5): what the link did, the labels, the link in virtual time."""
