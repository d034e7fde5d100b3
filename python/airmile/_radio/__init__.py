"""The log of a modem: tables of it, and whether the downlink was the bottleneck."""
