"""Other methods in benchmarks: what a person would do without a method, and optimisers of other packages."""
