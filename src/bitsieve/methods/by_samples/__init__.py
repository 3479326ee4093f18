"""Methods that need the rows: what they ask of the data does not go into tables of counts of pairs."""
