"""The verdict of a dataset: sums of its slices, evidence, and quality of the input."""
