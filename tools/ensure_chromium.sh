#!/usr/bin/env bash
# A browser for the tests of the pages: Debian's chromium and chromium-driver, installed if that is possible here.
# Without them those tests are skipped, and say so; this script never fails.
set -uo pipefail
have() { command -v chromium >/dev/null 2>&1 && command -v chromedriver >/dev/null 2>&1; }
have && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing chromium for the browser tests ..."
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver) >/dev/null 2>&1
  have && exit 0
fi
echo "no chromium and chromedriver here: the browser tests will be skipped"
exit 0
