"""Where the public data sets come from, by the name of their file without ``.npz``."""

from __future__ import annotations

_UCI = "UCI Machine Learning Repository, archive.ics.uci.edu"

ORIGINS = {
    "arrhythmia": f"{_UCI}: Arrhythmia",
    "breast_wdbc": f"{_UCI}: Breast Cancer Wisconsin (Diagnostic)",
    "colon": "Alon et al. 1999, genomics-pubs.princeton.edu/oncology; also in the R package plsgenomics",
    "gisette": f"{_UCI}: Gisette (NIPS 2003 feature selection challenge)",
    "hwdb1.0": "CASIA handwriting databases, nlpr.ia.ac.cn/databases/handwriting: HWDB1.0",
    "hwdb1.1": "CASIA handwriting databases, nlpr.ia.ac.cn/databases/handwriting: HWDB1.1",
    "leukemia": "Golub et al. 1999, ALL/AML; also in the R package datamicroarray",
    "lung": "Garber et al. 2001; 325 genes in three states on H. Peng's mRMR site and in the package scikit-feature",
    "lung_d3": "Garber et al. 2001; 325 genes in three states on H. Peng's mRMR site and in the package scikit-feature",
    "lymphoma": "Alizadeh et al. 2000, llmpp.nih.gov/lymphoma",
    "madelon": f"{_UCI}: Madelon (NIPS 2003 feature selection challenge)",
    "mnist_test": "LeCun, Cortes, Burges, the MNIST database of handwritten digits: its 10,000 test images",
    "mnist_train": "LeCun, Cortes, Burges, the MNIST database of handwritten digits: its 60,000 training images",
    "multifeat": f"{_UCI}: Multiple Features",
    "musk2": f"{_UCI}: Musk (Version 2)",
    "nci60": "Ross et al. 2000, the NCI60 cell lines, genome-www.stanford.edu/nci60",
    "olhwdb1.0": "CASIA handwriting databases, nlpr.ia.ac.cn/databases/handwriting: OLHWDB1.0",
    "olhwdb1.1": "CASIA handwriting databases, nlpr.ia.ac.cn/databases/handwriting: OLHWDB1.1",
    "optdigits": f"{_UCI}: Optical Recognition of Handwritten Digits",
    "promoter": f"{_UCI}: Molecular Biology (Promoter Gene Sequences)",
    "spambase": f"{_UCI}: Spambase",
    "srbct": "Khan et al. 2001, small round blue cell tumours; also in the R package plsgenomics",
    "waveform": f"{_UCI}: Waveform Database Generator (Version 1)",
    "waveform40": f"{_UCI}: Waveform Database Generator (Version 2)",
}
