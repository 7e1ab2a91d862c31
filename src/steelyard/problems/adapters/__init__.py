"""Problems from elsewhere. One adapter per module; each has `load(name, parameters)`, which `problems.get` calls."""
