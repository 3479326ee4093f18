"""One table: columns, target, weights and names, read from anything."""
