"""Methods to compare ours with in benchmarks: what a person would do without a method, and optimisers of other packages."""
