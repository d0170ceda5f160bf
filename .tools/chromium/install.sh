#!/usr/bin/env bash
# Installs Chromium where there is none: as a package of Debian or Ubuntu, or the one of Playwright, which it links as bin/workbench/chromium. Where neither
# can be had it says so, and the tests that need a browser are skipped.
set -uo pipefail
cd "$(dirname "$0")/../.."
for name in "${CHROMIUM:-}" bin/workbench/chromium chromium chromium-browser google-chrome; do
	if [ -n "$name" ] && command -v "$name" >/dev/null; then exit 0; fi
done
mkdir -p bin/workbench
log=bin/workbench/chromium.log
as_root=$([ "$(id -u)" = 0 ] || command -v sudo)
if command -v apt-get >/dev/null && { $as_root apt-get update && $as_root apt-get install -y --no-install-recommends chromium; } >"$log" 2>&1 && chromium --version >>"$log" 2>&1; then
	exit 0
fi
if npx --yes playwright install --with-deps chromium >>"$log" 2>&1; then
	path=$(find "${PLAYWRIGHT_BROWSERS_PATH:-$HOME/.cache/ms-playwright}" -type f \( -name chrome -o -name chrome-headless-shell \) | sort | tail -n 1)
	if [ -n "$path" ] && "$path" --version >>"$log" 2>&1; then
		ln -sf "$path" bin/workbench/chromium
		exit 0
	fi
fi
echo "there is no Chromium, and none can be installed (see $log): tests in a browser are skipped"
