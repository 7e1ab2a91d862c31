"""steelyard inside other packages: an Optuna sampler, an ioh algorithm, an optimagic algorithm, a scikit-learn search.

| module | what | install |
|---|---|---|
| `optuna_sampler` | `ComparisonSampler`: a study led by comparisons, of values or by people | `steelyard[optuna]` |
| `ioh_algorithm` | `ForIOH`: any method of ours in an `ioh.Experiment` | `steelyard[ioh]` |
| `optimagic_algorithm` | `Steelyard`: any method of ours in `optimagic.minimize` | `steelyard[optimagic]` |
| `sklearn_search` | `ComparisonSearchCV`: hyper-parameters by paired comparison of folds | `steelyard[sklearn]` |

Each imports its package, so import the module that you need: `from steelyard.bridges.optuna_sampler import ...`.
"""
