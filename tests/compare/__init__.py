"""The statistics of methods I3, compared with other programs and over random samples."""
