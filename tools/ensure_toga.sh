#!/usr/bin/env bash
# A chess engine for the example that tunes one: Debian's toga2 (88 kB), installed if that is possible here.
# Without it that example is skipped, and says so; this script never fails.
set -uo pipefail
have() { command -v toga2 >/dev/null 2>&1 || [ -x /usr/games/toga2 ]; }
have && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing toga2 for the example of a chess engine ..."
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq toga2) >/dev/null 2>&1
  have && exit 0
fi
echo "no toga2 here: the example of a chess engine will be skipped"
exit 0
