"""The web page and the HTTP interface of a study.

app.py api.py routes: each checks its input and makes one call; openapi.py describes them
organiser.py  the organiser's page, live
security.py   what the outside may send; patience.py hangs up on slow clients
several.py    several studies on one server
server.py     the process: links, tokens, start
client.py     a study answered by a program
plot.py       the picture of a run's path
"""
