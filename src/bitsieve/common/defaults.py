"""What ``select`` does where nothing else is asked for; ``benchmarks/default_method.py`` chose the method."""

DEFAULT_METHOD = "cmim"
DEFAULT_FEATURES = 20
