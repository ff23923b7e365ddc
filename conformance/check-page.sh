#!/usr/bin/env bash
# Opens the HTML report in a real browser: its script runs, filters and follows a link, and nothing
# is wider than the screen, on a small one and on a large one. Needs Debian's chromium, which CI
# installs; elsewhere it says that it was skipped.
#
# usage: check-page.sh OAR-CONFORMANCE [SCREENSHOT-DIRECTORY]
set -euo pipefail
conformance=$(realpath "$1")
pictures=${2:-}
cd "$(dirname "${BASH_SOURCE[0]}")"

browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ] && [ "${CI:-}" = true ] && command -v apt-get >/dev/null; then
  apt-get update -qq >/dev/null && apt-get install -y -qq chromium >/dev/null
  browser=$(command -v chromium)
fi
if [ -z "$browser" ]; then
  echo "SKIPPED: there is no chromium, so the report page was not looked at"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An engine that gets most of it wrong makes the fullest page.
"$conformance" run corpus --filter 'doc-*' --filter 'ops-*' \
  --engine 'python3 tests/fakes/none.py' --html "$work/report.html" >/dev/null || [ $? -eq 1 ]

# The page checks itself, once its own script has run, inside a frame as wide as a screen.
sed 's|</body>|<script src="check.js"></script></body>|' "$work/report.html" >"$work/checked.html"
cat >"$work/check.js" <<'JS'
addEventListener("load", () => {
  const checks = {};
  const root = document.documentElement;
  checks.fits = root.scrollWidth <= innerWidth;
  const items = [...document.querySelectorAll(".fixture")];
  const shown = () => items.filter((item) => !item.hidden).length;
  checks.lists = items.length > 100 && shown() === items.length;
  const words = document.getElementById("words");
  words.value = items[0].id;
  words.dispatchEvent(new Event("input", { bubbles: true }));
  checks.filters = shown() >= 1 && shown() < items.length && !items[0].hidden;
  checks.counts = document.getElementById("shown").textContent === `${shown()} of ${items.length}`;
  const last = items.at(-1);
  checks.hides = last.hidden && !last.open;
  location.hash = last.id;
  setTimeout(() => {
    checks.follows = !last.hidden && last.open;
    const bad = Object.keys(checks).filter((name) => !checks[name]);
    parent.postMessage({ width: innerWidth, checks: Object.keys(checks).length, bad }, "*");
  }, 100);
});
JS

failed=0
for width in 360 1200; do
  cat >"$work/frame.html" <<HTML
<!doctype html><body style="margin:0"><pre id="result">nothing</pre>
<iframe src="checked.html" style="border:0;width:${width}px;height:900px"></iframe>
<script>addEventListener("message", (event) => {
  document.getElementById("result").textContent = JSON.stringify(event.data);
});</script></body>
HTML
  browse() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
      --disable-background-networking --disable-component-update --disable-sync \
      --user-data-dir="$work/profile" --allow-file-access-from-files --window-size=1300,1000 \
      "$@" 2>/dev/null
  }
  result=$(browse --virtual-time-budget=10000 --dump-dom "file://$work/frame.html" |
    sed -n 's|.*<pre id="result">\(.*\)</pre>.*|\1|p')
  if [ "$result" = "{\"width\":$width,\"checks\":6,\"bad\":[]}" ]; then
    echo "the page holds at a width of $width"
  else
    echo "the page fails at a width of $width: $result"
    failed=1
  fi
done

if [ -n "$pictures" ]; then
  mkdir -p "$pictures"
  for scheme in 0 1; do # dark, light
    browse --hide-scrollbars --window-size=1200,2000 --blink-settings=preferredColorScheme=$scheme \
      --screenshot="$(realpath "$pictures")/report-$scheme.png" "file://$work/report.html" || failed=1
  done
fi
exit "$failed"
