# steelyard serving the studies in /studies; see docs/howto/deploy.md.
#   docker build -t steelyard .
#   docker run -p 127.0.0.1:8321:8321 -v "$PWD/studies:/studies" -e STEELYARD_ORGANISER_TOKEN=... steelyard
FROM python:3.12-slim
COPY pyproject.toml README.md /source/
COPY src /source/src
RUN pip install --no-cache-dir '/source[web]' 'pyarrow>=15' && rm -rf /source \
    && useradd --create-home --uid 10001 steelyard && mkdir /studies && chown steelyard /studies
USER 10001
WORKDIR /studies
VOLUME /studies
EXPOSE 8321
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8321/healthz', timeout=5)"]
CMD ["steelyard", "serve", "/studies", "--public", "--no-browser"]
