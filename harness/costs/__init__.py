"""What recorded calls cost: prices and where they come from, the calls of a recording, sums by group, what-ifs."""
