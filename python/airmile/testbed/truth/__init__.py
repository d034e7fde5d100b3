"""What really happened on the link: tables, labels, and the link in virtual time."""
