"""The recording format: records, how they are written and read, and what they are put together to."""
