"""Which columns the class depends on given the others, where columns depend on each other: a tree of the columns."""
