"""What the docstrings of several selectors say of their parameters and fitted attributes."""

from __future__ import annotations

PARAMETERS = {
    "n_features_to_select : int, optional": "By default 20, or all columns where there are fewer.",
    'binning : {"auto", "mdl", "monotone", "quantile", "uniform", "none"} or binner, default="auto"': (
        'How numeric columns become codes: by "auto" as "mdl" where y is classes, and in bins of equal frequency where '
        'it is a quantity; "none" takes each distinct value as its own code.'
    ),
    "bins_within : bool, default=False": (
        'Whether numbers are cut in each stratum of ``strata`` for itself, by "quantile" or "uniform", as where the '
        'values of a batch are all shifted; by "auto" in max(3, N^(1/5)) + 1 bins of equal frequency.'
    ),
    'missing : {"error", "bin"}, optional': (
        "What missing values are: an error, or a code of their own (the default). A binner has its own ``missing``."
    ),
    'target_kind : {"classes", "quantity"}, optional': "What the target is, where its values are not to decide.",
    'weight_kind : {"frequency", "sampling"}, default="frequency"': (
        "What ``sample_weight`` of ``fit`` is: how many times each sample counts, or the weights of a survey, scaled "
        "to the effective number of samples as by :func:`bitsieve.select`."
    ),
    'identifiers : {"drop", "keep"}, default="drop"': (
        "What becomes of columns that name or number the rows: dropped, with a warning, or kept."
    ),
    "n_jobs : int, default=None": (
        "Threads (None is 1, -1 every core); the result is the same to the last bit for any number."
    ),
}
ATTRIBUTES = {
    "support_ : ndarray of bool, shape (n_features,)": "Which columns were selected.",
    "ranking_ : ndarray of int, shape (n_features,)": (
        "1 = selected first; columns that were not selected share the next rank."
    ),
    "selected_ : ndarray of int, shape (k,)": "Indices of the k selected columns, best first.",
    "classes_ : ndarray": "The labels of the target, or its intervals where it was continuous.",
    "target_edges_ : ndarray or None": "The inner edges of a continuous target.",
    "n_features_in_ : int": "Number of columns of the table.",
    "feature_names_in_ : ndarray of str": "Names of the columns, where they have names.",
    "diagnostics_ : Diagnostics": "What was noticed in the data and in the selection.",
}
COUNT_ATTRIBUTES = {
    "relevance_ : ndarray of float, shape (n_features,)": "I(Xi;C) of every column, in bits.",
    "overlap_with_ : ndarray of int, shape (k,)": (
        "For every selected column, the one before it in ``selected_`` with the largest I(Xi;Xs); -1 for the first."
    ),
    "overlap_ : ndarray of float, shape (k,)": "That information in bits; nan for the first.",
    "informative_ : ndarray of bool, shape (k,)": (
        "Whether each selected column is more informative than chance, alone or given one of the others, at "
        "level 0.05 for all of them; the others may only fill the list."
    ),
    "binner_ : binner": "The fitted binner; its ``bin_edges_`` show every cut.",
}
