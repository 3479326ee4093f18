"""The papers' tables and figures as runnable programs, one module or several a paper."""
