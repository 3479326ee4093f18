"""Why a column is selected or not."""
