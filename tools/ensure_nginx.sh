#!/usr/bin/env bash
# A proxy for the test of the set-up in docs/howto/deploy.md: Debian's nginx, installed if that is possible here.
# Without it that test is skipped, and says so; this script never fails.
set -uo pipefail
have() { command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ]; }
have && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing nginx for the test behind a proxy ..."
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq nginx-light) >/dev/null 2>&1
  have && exit 0
fi
echo "no nginx here: the test behind a proxy will be skipped"
exit 0
