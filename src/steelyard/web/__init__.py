"""Studies: people answer in a web page.

study.py      what is varied, what is asked, how a candidate is shown
views.py      candidates made into pictures, sounds, pages; ahead of time
store.py      the answer log on disk
progress.py   a run rebuilt from its log: the state *is* the fold over the events
runs.py       live runs, answering, looking ahead
report.py     results as plain data; plot.py draws them, agreement.py compares raters
app.py api.py routes: each checks its input and makes one call
server.py     the process: links, tokens, start
"""
