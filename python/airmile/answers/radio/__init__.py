"""The findings of a modem's log: the radio link, and whether it was the bottleneck."""
