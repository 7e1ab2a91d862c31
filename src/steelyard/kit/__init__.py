"""The judge kit: between a method's questions and a judge that is slow, biased, costs money and sometimes fails."""
