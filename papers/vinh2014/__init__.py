"""N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
selection", KDD 2014. doi:10.1145/2623330.2623611
"""
