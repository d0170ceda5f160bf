#!/usr/bin/env bash
# pack.sh packs the extension into bin/vscode/rpcgen.vsix, and tests what chooses the command. It needs node and npm, and no network but that of npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
to=bin/vscode most=150000
mkdir -p $to
cp -R .tools/vscode/. LICENSE $to
cd $to
npm ci --no-audit --no-fund --loglevel=error
node --test --test-reporter=dot .
npm run --silent build
npx vsce package --no-dependencies --out rpcgen.vsix >/dev/null
size=$(stat -c %s rpcgen.vsix)
echo "$to/rpcgen.vsix: $((size / 1000)) KB"
[ "$size" -le $most ] || { echo "rpcgen.vsix has $size bytes, and may have $most" >&2; exit 1; }
