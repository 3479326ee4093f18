"""The texts of the notes on data and on selections: a file for each subject, and a function for each code.

Whether a note is made is decided by the modules that call them, such as ``prepare.py`` and ``diagnose.py``.
"""
