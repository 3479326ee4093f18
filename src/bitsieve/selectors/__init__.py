"""Public scikit-learn estimators: validate, build a source, call a method, set attributes."""
