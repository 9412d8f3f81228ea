"""What `select` found beside the verdict, in every format."""
