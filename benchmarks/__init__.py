"""Workloads with referee and its peers side by side: `make bench`."""
