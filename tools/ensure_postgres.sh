#!/usr/bin/env bash
# A database server for the tests of studies in PostgreSQL: Debian's, installed if that is possible here. The tests start
# one of their own in a temporary folder. Without it those tests are skipped, and say so; this script never fails.
set -uo pipefail
have() { command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }
have && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing postgresql for the tests of studies ..."
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql) >/dev/null 2>&1
  have && exit 0
fi
echo "no postgresql here: the tests of studies in PostgreSQL will be skipped"
exit 0
