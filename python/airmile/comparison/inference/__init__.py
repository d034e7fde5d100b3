"""The statistics of methods I3; samples are the last axis, so that many are computed at once."""
