"""`bayes-quadratic`: regression over different questions, for judges that err.

noise.py        how a judge errs, learnt from predictions made before the answers were known
model.py        a quadratic with a Gaussian prior: covariances of differences of f, features, gradients
propagation.py  expectation propagation: what answers say about those differences
mind.py         one explanation of the errors: its region, its fit, its noise
questions.py    what to ask next, also inside a box
method.py       two explanations side by side, weighed by how well they predict
"""

from steelyard.algorithms.bayes_quadratic.method import BayesQuadratic

__all__ = ["BayesQuadratic"]
