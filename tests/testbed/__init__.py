"""The testbed: experiments, the link in virtual time, and runs where root allows them."""
