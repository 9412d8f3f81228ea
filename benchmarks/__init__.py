"""Public calls beside their peers: `make bench`."""
