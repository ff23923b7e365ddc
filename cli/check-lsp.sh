#!/usr/bin/env bash
# Speaks to `oar lsp` with clients that others keep: pygls from PyPI, and Neovim as Debian has it.
# Where one cannot be had, it says that it was skipped.
#
# usage: check-lsp.sh OAR
set -euo pipefail
oar=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(realpath ..)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/examples/coding-basics" "$work/pack"

python=$root/target/tools/bin/python
if ! { [ -x "$python" ] || python3 -m venv "$root/target/tools"; } >/dev/null 2>&1; then
  echo "SKIPPED: Python cannot make a virtual environment, so pygls did not speak to oar lsp"
elif ! "$python" -m pip install --quiet pygls==2.1.1 >/dev/null 2>&1; then
  echo "SKIPPED: pip cannot bring pygls, so it did not speak to oar lsp"
else
  timeout 120 "$python" check_lsp.py "$oar" "$work/pack"
fi

nvim=$(command -v nvim || true)
if [ -z "$nvim" ] && [ "${CI:-}" = true ] && command -v apt-get >/dev/null; then
  { apt-get update && apt-get install -y neovim; } >/dev/null 2>&1 || true
  nvim=$(command -v nvim || true)
fi
if [ -z "$nvim" ]; then
  echo "SKIPPED: there is no nvim, so no editor was attached to oar lsp"
else
  OAR=$oar PACK=$work/pack XDG_STATE_HOME=$work XDG_CACHE_HOME=$work \
    timeout 120 "$nvim" --headless --clean -u NONE -c 'luafile check_lsp.lua' 2>&1
fi
