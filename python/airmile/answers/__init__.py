"""What the tables of datasets mean: the verdict, a modem's log, two captures of one transfer."""
