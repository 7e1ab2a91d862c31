"""The web page and the HTTP interface of a study.

app.py api.py routes: each checks its input and makes one call; openapi.py describes them
security.py   what the outside may send
server.py     the process: links, tokens, start
client.py     a study answered by a program
plot.py       the picture of a run's path
"""
