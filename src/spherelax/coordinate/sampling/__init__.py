"""Labels that are drawn by Gibbs sampling, and what they say about the labels of the answer."""
