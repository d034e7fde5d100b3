"""What the tables of a modem's log say of the radio link, and whether it was the bottleneck."""
