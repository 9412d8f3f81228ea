"""What schemes are made of: the rows that they split, random streams, and the splits that they give."""
