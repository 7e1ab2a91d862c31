"""From zeroth-order methods to comparison-based ones, and how to find out whether a method can make the change.

`FromAskTell` for population methods with ask and tell, `FromFunction` and `OrderValues` for methods that call f
themselves, `is_comparison_only` to find out whether a method uses more of f than its order.
"""

from steelyard.convert.ask_tell import FromAskTell
from steelyard.convert.comparison_only import ComparisonOnly, is_comparison_only, scipy_method
from steelyard.convert.order_values import FromFunction, OrderValues

__all__ = ["ComparisonOnly", "FromAskTell", "FromFunction", "OrderValues", "is_comparison_only", "scipy_method"]
