"""Docstrings of classes that share parameters, attributes and papers, each of them written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol, TypeVar


class HasPaper(Protocol):
    """A class that names its paper by the authors and the year."""

    paper: ClassVar[str]


T = TypeVar("T")
ClassWithPaper = TypeVar("ClassWithPaper", bound=HasPaper)


class Section(NamedTuple):
    """A section of a numpydoc docstring, and the text around it."""

    before: str  # ends with the heading
    entries: dict[str, str]  # the text of each entry by the name that it describes
    after: str


def described_fully(
    doc: str, names: Iterable[str], parameters: Mapping[str, str], attributes: Mapping[str, str]
) -> str:
    """Add shared parameters and attributes to a numpydoc docstring.

    ``parameters`` and ``attributes`` map a line such as ``n_jobs : int`` to its description. The parameters come in
    the order of ``names``. What the docstring describes itself stays.
    """
    doc = inspect.cleandoc(doc)
    has_sections = "\n---" in doc
    if not has_sections:
        return doc
    section = _section(doc, "Parameters")
    entries = _entries(parameters) | section.entries
    described = [entries[name] for name in names if name in entries]
    doc = section.before + "\n".join(described) + section.after

    section = _section(doc, "Attributes")
    shared = {name: text for name, text in _entries(attributes).items() if name not in section.entries}
    described = [*section.entries.values(), *shared.values()]
    return section.before + "\n".join(described) + section.after


def _entries(shared: Mapping[str, str]) -> dict[str, str]:
    return {line.split()[0]: f"{line}\n    {text}" for line, text in shared.items()}


NEXT_SECTION = re.compile(r"\n\n\w[\w ]*\n-{3,}\n")
NEXT_SECTION_BUT_PARAMETERS = re.compile(r"\n(?=\n(?!Parameters\n)\w[\w ]*\n-{3,}\n)")


def _section(doc: str, title: str) -> Section:
    """Find a section of a docstring, or make an empty one before all others except the parameters."""
    heading = f"\n{title}\n{'-' * len(title)}\n"
    if heading not in doc:
        doc = NEXT_SECTION_BUT_PARAMETERS.sub(f"\n{heading}\n", doc, count=1)
    before, heading_in_doc, rest = doc.partition(heading)
    next_section = NEXT_SECTION.search(rest)
    end = len(rest) if next_section is None else next_section.start()
    after = rest[end:]
    entries = {}
    for entry in re.split(r"\n(?=\S)", rest[:end].rstrip()):  # further lines of an entry are indented
        if entry:
            name = re.split("[ ,]", entry)[0]
            entries[name] = entry
    return Section(before + heading_in_doc, entries, after)


def cites(*papers: str) -> Callable[[T], T]:
    """Decorate a class or a function that cites papers, named by their authors and the year, as "Yu, Liu 2004"."""

    def add_references(documented: T) -> T:
        documented.__doc__ = with_references(documented.__doc__ or "", [PAPERS[name] for name in papers])
        return documented

    return add_references


def cites_its_paper(documented: type[ClassWithPaper]) -> type[ClassWithPaper]:
    """Decorate a class that cites its ``paper``."""
    return cites(documented.paper)(documented)


def with_references(doc: str, citations: Sequence[str]) -> str:
    """Add references to a numpydoc docstring, before its examples, unless it has its own."""
    doc = inspect.cleandoc(doc)
    if "\nReferences\n---" in doc or not citations:
        return doc
    before, heading, examples = doc.partition("\n\nExamples\n---")
    return f"{before}\n\nReferences\n----------\n" + "\n\n".join(citations) + heading + examples


INITIALS = re.compile(r"\b[A-Z]\.[- ]?| III\b")
YEAR = re.compile(r", (?:[^,]* )?((?:19|20)[0-9]{2})[.]")  # ", 2007." or ", CSB 2003."


def _authors_and_year(citation: str) -> str:
    """The surnames of the authors and the year: ``C. Ding, H. Peng, "Minimum ...`` is "Ding, Peng 2003"."""
    authors, _, _ = citation.partition(', "')
    year = YEAR.findall(citation)[0]
    return f"{INITIALS.sub('', authors)} {year}"


_CITATIONS = """
C. F. Aliferis, A. Statnikov, I. Tsamardinos, S. Mani, X. D. Koutsoukos, "Local causal and Markov blanket induction for
  causal discovery and feature selection for classification, part I", Journal of Machine Learning Research 11, 2010.
D. Anastassiou, "Computational analysis of the synergy among multiple interacting genes", Molecular Systems Biology 3,
  2007. doi:10.1038/msb4100124
S. Bates, E. Candès, L. Janson, W. Wang, "Metropolized knockoff sampling", Journal of the American Statistical
  Association 116, 2021. doi:10.1080/01621459.2020.1729163
R. Battiti, "Using mutual information for selecting features in supervised neural net learning", IEEE Transactions on
  Neural Networks 5(4), 1994. doi:10.1109/72.298224
Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate: a practical and powerful approach to multiple
  testing", Journal of the Royal Statistical Society B 57, 1995. doi:10.1111/j.2517-6161.1995.tb02031.x
Y. Benjamini, D. Yekutieli, "The control of the false discovery rate in multiple testing under dependency", Annals of
  Statistics 29, 2001. doi:10.1214/aos/1013699998
M. Bennasar, Y. Hicks, R. Setchi, "Feature selection using joint mutual information maximisation", Expert Systems with
  Applications 42(22), 2015. doi:10.1016/j.eswa.2015.07.007
V. Berisha, A. Wisler, A. O. Hero III, A. Spanias, "Empirically estimable classification bounds based on a nonparametric
  divergence measure", IEEE Transactions on Signal Processing 64, 2016. doi:10.1109/TSP.2015.2477805
T. Berrett, Y. Wang, R. Barber, R. Samworth, "The conditional permutation test for independence while controlling for
  confounders", Journal of the Royal Statistical Society B 82, 2020. doi:10.1111/rssb.12340
J. Besag, P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991. doi:10.1093/biomet/78.2.301
G. Borboudakis, I. Tsamardinos, "Forward-backward selection with early dropping", Journal of Machine Learning Research
  20, 2019.
J. Brank, M. Grobelnik, N. Milic-Frayling, D. Mladenic, "Feature selection using linear support vector machines",
  Microsoft Research MSR-TR-2002-63, 2002.
L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and regression trees", 1984. doi:10.1201/9781315139470
G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for information
  theoretic feature selection", Journal of Machine Learning Research 13, 2012.
E. Candès, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high dimensional controlled variable
  selection", Journal of the Royal Statistical Society B 80, 2018. doi:10.1111/rssb.12265
H. Cheng, Z. Qin, C. Feng, Y. Wang, F. Li, "Conditional mutual information-based feature selection analyzing for synergy
  and redundancy", ETRI Journal 33(2), 2011. doi:10.4218/etrij.11.0110.0237
C. Chow, C. Liu, "Approximating discrete probability distributions with dependence trees", IEEE Transactions on
  Information Theory 14, 1968. doi:10.1109/TIT.1968.1054142
C. Ding, H. Peng, "Minimum redundancy feature selection from microarray gene expression data", CSB 2003.
  doi:10.1109/CSB.2003.1227396
W. Duch, "Filter methods", in Feature Extraction: Foundations and Applications, Springer 2006.
  doi:10.1007/978-3-540-35488-8_4
U. M. Fayyad, K. B. Irani, "Multi-interval discretization of continuous-valued attributes for classification learning",
  IJCAI 1993.
F. Fleuret, "Fast binary feature selection with conditional mutual information", Journal of Machine Learning Research 5,
  2004.
D. François, F. Rossi, V. Wertz, M. Verleysen, "Resampling methods for parameter-free and robust feature selection with
  mutual information", Neurocomputing 70, 2007. doi:10.1016/j.neucom.2006.11.019
S. Gao, G. Ver Steeg, A. Galstyan, "Variational information maximization for feature selection", NIPS 2016.
  doi:10.48550/arXiv.1606.02827
P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006. doi:10.1007/s10994-006-6226-1
I. J. Good, "Probability and the weighing of evidence", Griffin, 1950.
I. Guyon, J. Weston, S. Barnhill, V. Vapnik, "Gene selection for cancer classification using support vector machines",
  Machine Learning 46, 2002. doi:10.1023/A:1012487302797
M. E. Hellman, J. Raviv, "Probability of error, equivocation, and the Chernoff bound", IEEE Transactions on Information
  Theory 16(4), 1970. doi:10.1109/TIT.1970.1054466
N. Henze, M. D. Penrose, "On the multivariate runs test", Annals of Statistics 27, 1999. doi:10.1214/aos/1018031112
A. Jakulin, "Machine learning based on attribute interactions", PhD thesis, University of Ljubljana, 2005.
D. Koller, M. Sahami, "Toward optimal feature selection", ICML 1996.
S. Kullback, "Information theory and statistics", Wiley 1959.
N. Kwak, C.-H. Choi, "Input feature selection for classification problems", IEEE Transactions on Neural Networks 13(1),
  2002. doi:10.1109/72.977291
V. Lagani, G. Athineou, A. Farcomeni, M. Tsagris, I. Tsamardinos, "Feature selection with the R package MXM:
  discovering statistically equivalent feature subsets", Journal of Statistical Software 80, 2017.
O. Ledoit, M. Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", Journal of Multivariate
  Analysis 88, 2004. doi:10.1016/S0047-259X(03)00096-4
D. D. Lewis, "Feature selection and feature extraction for text categorization", Speech and Natural Language Workshop,
  1992.
D. Lin, X. Tang, "Conditional infomax learning: an integrated framework for feature extraction and fusion", ECCV 2006.
  doi:10.1007/11744023_6
M. Liu, E. Katsevich, L. Janson, A. Ramdas, "Fast and powerful conditional randomization testing via distillation",
  Biometrika 109, 2022. doi:10.1093/biomet/asab039
D. Margaritis, S. Thrun, "Bayesian network induction via local neighborhoods", NIPS 1999.
W. J. McGill, "Multivariate information transmission", Psychometrika 19, 1954. doi:10.1007/BF02289159
N. Meinshausen, P. Bühlmann, "Stability selection", Journal of the Royal Statistical Society B 72, 2010.
  doi:10.1111/j.1467-9868.2010.00740.x
P. E. Meyer, G. Bontempi, "On the use of variable complementarity for feature selection in cancer classification",
  EvoWorkshops 2006. doi:10.1007/11732242_9
K. Mnich, W. R. Rudnicki, "All-relevant feature selection using multidimensional filters with exhaustive search",
  Information Sciences 524, 2020. doi:10.1016/j.ins.2020.03.024
G. Navas-Palencia, "Optimal binning: mathematical programming formulation", 2020. doi:10.48550/arXiv.2001.08025
M. Pavan, M. Pelillo, "Dominant sets and pairwise clustering", IEEE Transactions on Pattern Analysis and Machine
  Intelligence 29(1), 2007. doi:10.1109/TPAMI.2007.250608
J. M. Pena, "Learning Gaussian graphical models of gene networks with false discovery rate control", EvoBIO 2008.
H. Peng, F. Long, C. Ding, "Feature selection based on mutual information", IEEE Transactions on Pattern Analysis and
  Machine Intelligence 27(8), 2005. doi:10.1109/TPAMI.2005.159
Z. Ren, R. Barber, "Derandomised knockoffs: leveraging e-values for false discovery rate control", Journal of the Royal
  Statistical Society B 86, 2024. doi:10.1093/jrsssb/qkad085
T. Robertson, F. Wright, R. Dykstra, "Order restricted statistical inference", Wiley, 1988.
M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", Machine Learning 53,
  2003. doi:10.1023/A:1025667309714
I. Rodriguez-Lujan, R. Huerta, C. Elkan, C. Santa Cruz, "Quadratic programming feature selection", Journal of Machine
  Learning Research 11, 2010.
K. Sechidis, L. Azzimonti, A. Pocock, G. Corani, J. Weatherall, G. Brown, "Efficient feature selection using shrinkage
  estimators", Machine Learning 108, 2019. doi:10.1007/s10994-019-05795-1
M. Sesia, C. Sabatti, E. Candès, "Gene hunting with hidden Markov model knockoffs", Biometrika 106, 2019.
R. D. Shah, R. J. Samworth, "Variable selection with error control: another look at stability selection", Journal of the
  Royal Statistical Society B 75, 2013. doi:10.1111/j.1467-9868.2011.01034.x
A. Spector, L. Janson, "Powerful knockoffs via minimizing reconstructability", Annals of Statistics 50(1), 2022.
M. Tan, L. Wang, I. Tsang, "Learning sparse SVM for feature selection on very high dimensional datasets", ICML 2010.
M. Tesmer, P. A. Estevez, "AMIFS: adaptive feature selection by using mutual information", IJCNN 2004.
  doi:10.1109/IJCNN.2004.1379918
I. Tsamardinos, C. F. Aliferis, A. Statnikov, "Algorithms for large scale Markov blanket discovery", FLAIRS 2003.
I. Tsamardinos, L. E. Brown, C. F. Aliferis, "The max-min hill-climbing Bayesian network structure learning algorithm",
  Machine Learning 65, 2006. doi:10.1007/s10994-006-6889-7
N. X. Vinh, J. Chan, J. Bailey, "Reconsidering mutual information based feature selection: a statistical significance
  view", AAAI 2014.
N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature selection",
  KDD 2014. doi:10.1145/2623330.2623611
P. H. Westfall, S. S. Young, "Resampling-based multiple testing", Wiley, 1993.
H. H. Yang, J. Moody, "Data visualization and feature selection: new algorithms for nongaussian data", NIPS 1999.
S. Yaramakala, D. Margaritis, "Speculative Markov blanket discovery for optimal feature selection", ICDM 2005.
S. Yasaei Sekeh, A. O. Hero III, "Feature selection for multi-labeled variables via dependency maximization", ICASSP
  2019. doi:10.1109/ICASSP.2019.8682486; "Geometric estimation of multivariate dependency", Entropy 21, 2019.
  doi:10.3390/e21080787
S. Yasaei Sekeh, B. Oselio, A. O. Hero III, "Multi-class Bayes error estimation with a global minimal spanning tree",
  Allerton Conference, 2018. doi:10.1109/ALLERTON.2018.8635897
L. Yu, H. Liu, "Efficient feature selection via analysis of relevance and redundancy", Journal of Machine Learning
  Research 5, 2004.
G.-X. Yuan, C.-H. Ho, C.-J. Lin, "An improved GLMNET for L1-regularized logistic regression", Journal of Machine
  Learning Research 13, 2012.
Y. Zhai, M. Tan, I. Tsang, Y. S. Ong, "Discovering support and affiliated features from very high dimensions", ICML
  2012. doi:10.48550/arXiv.1206.6477
Z. Zhang, E. R. Hancock, "Mutual information criteria for feature selection", SIMBAD 2011.
  doi:10.1007/978-3-642-24471-1_17
L. Zhou, L. Wang, C. Shen, "Feature selection with redundancy-constrained class separability", IEEE Transactions on
  Neural Networks 21(5), 2010. doi:10.1109/TNN.2010.2044189
"""
PAPERS = {
    _authors_and_year(" ".join(entry.split())): entry.replace("\n  ", "\n")
    for entry in re.split(r"\n(?! )", _CITATIONS.strip())  # further lines of an entry are indented
}
