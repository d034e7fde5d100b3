"""The verdict of a dataset: sums of its slices, evidence, quality, and the words' facts."""
