"""The statistics of methods I3; the last axis holds samples, so that one call computes many."""
