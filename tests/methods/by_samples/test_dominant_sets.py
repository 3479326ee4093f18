"""I(S + f;C) beside a set that grows, against one column of the joint values of all."""

from __future__ import annotations

import numpy as np

from bitsieve.methods.by_samples.dominant_sets import WholeSetInformation


def test_information_is_that_of_the_joint_values(information_of, make_table, brute):
    codes, classes = make_table(90, 6, n_codes=3, n_classes=3, seed=2)
    whole, chosen, left = WholeSetInformation(information_of(codes, classes)), [], list(range(6))
    for feature in (4, 1, 5):
        found = whole.information(np.array(left))
        for j, bits in zip(left, found, strict=True):
            joint = np.unique(codes[:, [*chosen, j]], axis=0, return_inverse=True)[1].reshape(-1)
            assert abs(bits - brute.mutual_information(joint, classes)) <= 1e-12  # some dozen logarithms
        whole.add(feature)
        chosen.append(feature)
        left.remove(feature)
