"""Graphs as GraphML, which networkx, igraph, Gephi and Cytoscape read."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from xml.etree import ElementTree

from bitsieve.io.output import write_text
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.terminal_text import printable

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"


def write_graphml(
    path: str | PathLike[str], names: Sequence[str], edges: Columns, edge_attribute: str, values: Floats
) -> None:
    """Write a graph without directions: a node of each name, and edges of pairs of nodes with a number each.

    ``edges`` has the shape (n_edges, 2).
    """
    root = ElementTree.Element("graphml", xmlns=NAMESPACE)
    ElementTree.SubElement(root, "key", {"id": "name", "for": "node", "attr.name": "name", "attr.type": "string"})
    ElementTree.SubElement(
        root, "key", {"id": "value", "for": "edge", "attr.name": edge_attribute, "attr.type": "double"}
    )
    graph = ElementTree.SubElement(root, "graph", edgedefault="undirected")
    for j, name in enumerate(names):
        node = ElementTree.SubElement(graph, "node", id=f"n{j}")
        ElementTree.SubElement(node, "data", key="name").text = printable(name)  # XML has no control characters
    for (first, second), value in zip(edges.tolist(), values.tolist(), strict=True):
        edge = ElementTree.SubElement(graph, "edge", source=f"n{first}", target=f"n{second}")
        ElementTree.SubElement(edge, "data", key="value").text = repr(value)
    ElementTree.indent(root)
    write_text(path, ElementTree.tostring(root, encoding="unicode") + "\n")
