"""The findings of a modem log: the radio link, and whether it was the bottleneck."""
