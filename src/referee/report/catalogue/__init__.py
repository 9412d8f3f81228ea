"""Cards of metrics, schemes and tests, and the page of them all."""
