"""From tables and arrays to a DataSet: roles, features, times, and what may leak from the test rows."""
