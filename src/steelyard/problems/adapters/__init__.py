"""Problems that live elsewhere. One adapter a module; each has `load(name, parameters)`, which `problems.get` calls."""
