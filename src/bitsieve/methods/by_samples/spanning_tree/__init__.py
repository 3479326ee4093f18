"""Methods on the Euclidean minimum spanning tree of the samples: how far two samples, or two features, are apart."""
