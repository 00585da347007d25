"""Other methods, for comparison; the solvers of spherelax do not use them.

Matching methods take ``(similarity, groups, universe)`` and clustering methods
``(similarity, n_clusters)``; a method that finds the number by itself has no such argument. All
return one label per item, or pairs of items if the method does not give labels. Each is written
from the mathematics of its paper, or calls another package.
"""

from spherelax.baselines._affinity_propagation import affinity_propagation
from spherelax.baselines._clear import clear, estimate_universe
from spherelax.baselines._constrained_hdbscan import constrained_hdbscan
from spherelax.baselines._hdbscan import hdbscan
from spherelax.baselines._infomap import infomap
from spherelax.baselines._leiden import leiden, leiden_graph, leiden_of_graph
from spherelax.baselines._markov_clustering import markov_clustering
from spherelax.baselines._match_als import match_als
from spherelax.baselines._match_eig import match_eig
from spherelax.baselines._match_lift import match_lift
from spherelax.baselines._nested_block_model import nested_block_model
from spherelax.baselines._networkx_leiden import networkx_leiden
from spherelax.baselines._nmf import nmf
from spherelax.baselines._nmf_sync import nmf_sync
from spherelax.baselines._plscan import plscan
from spherelax.baselines._projected_gradient import projected_gradient
from spherelax.baselines._single_best_links import single_best_links
from spherelax.baselines._sparse_stiefel import sparse_stiefel
from spherelax.baselines._spectral_clustering import spectral_kmeans, spectral_spherical_kmeans
from spherelax.baselines._spectral_matching import spectral_matching
from spherelax.baselines._spectrum import spectrum
from spherelax.baselines._spherical_kmeans import spherical_kmeans
from spherelax.baselines._union_find import union_find

__all__ = [
    "affinity_propagation",
    "clear",
    "constrained_hdbscan",
    "estimate_universe",
    "hdbscan",
    "infomap",
    "leiden",
    "leiden_graph",
    "leiden_of_graph",
    "markov_clustering",
    "match_als",
    "match_eig",
    "match_lift",
    "nested_block_model",
    "networkx_leiden",
    "nmf",
    "nmf_sync",
    "plscan",
    "projected_gradient",
    "single_best_links",
    "sparse_stiefel",
    "spectral_kmeans",
    "spectral_matching",
    "spectral_spherical_kmeans",
    "spectrum",
    "spherical_kmeans",
    "union_find",
]
