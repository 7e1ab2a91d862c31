"""Studies: what people are asked, their answers and what follows from them; knows no web framework.

study.py      what is varied, what is asked, how a candidate is shown
views.py      candidates made into pictures, sounds, pages; ahead of time
store.py      the answer log on disk
run_state.py  a run rebuilt from its log: the state *is* the fold over the events
runs.py       live runs, answering; rendering_ahead.py: what may be shown next
open_study.py one study that is open to raters: who may do what, and its parts
consistency.py do answers follow a preference, and how sure is the result then?
control.py    what the organiser has decided; overview.py: all raters, kept up to date
people.py     consent, questionnaires, limits, panels; wording.py and messages/: what raters read
results.py    results as plain data; agreement.py compares raters; export.py: one tidy table
check.py      does a study work? render_process.py: a view's function where it can be ended
simulate.py   a study answered by a simulated person; demos/ has three of them
"""
