"""One table: roles, columns, target and weights, its rows in memory or in parts; and how columns become codes."""
