"""Where work on the rows of data runs: in memory, in batches, on a cluster; and counts that were saved."""
