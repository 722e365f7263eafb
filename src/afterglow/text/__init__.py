"""Pure functions on strings: masking, fingerprints, clipping, times."""
