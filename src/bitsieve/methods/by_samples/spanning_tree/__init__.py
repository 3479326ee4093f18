"""Methods on the Euclidean minimum spanning tree of the samples: the distance of two samples, or of two features."""
