"""CUTEst problems written in NumPy from their mathematical definitions, one family per file."""
