"""What columns mean: tables, files and arrays become Predictions, by the roles that the user gave."""
