"""The testbed: experiments, the link in virtual time, and runs if root allows them."""
