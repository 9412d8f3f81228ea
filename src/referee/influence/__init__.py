"""How much each row moves a metric, and from it every metric's standard error and interval."""
