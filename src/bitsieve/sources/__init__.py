"""Where tables come from and go to: files told by their content."""
