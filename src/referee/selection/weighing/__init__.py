"""What is weighed beside the goal: robustness, growth, size, simplicity, luck."""
