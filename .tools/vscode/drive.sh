#!/usr/bin/env bash
# drive.sh drives the extension that pack.sh packed: with rpcgen-go as the only rpcgen, with the tool of a module, and with the rpcgen of Sun RPC, which has to be refused.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD vsix=bin/vscode/rpcgen.vsix
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/ours" "$work/sun" "$work/plain/rpc" "$work/module/rpc" "$work/empty/rpc"
go build -o "$work/ours/" ./cmd/rpcgen-go
printf 'rpcgen: v1\ntypes:\n  Thing:   {fields: {name: string}}\n  Other: Thing\n  Bad: strin\n' | tee "$work"/{plain,module,empty}/rpc/main.rpc.yaml >/dev/null
sed "s,=> \.\./\.\.,=> $root," examples/downstream/go.mod >"$work/module/go.mod"
cp examples/downstream/go.sum "$work/module/"
# A program that does what that of Sun RPC does: whatever it is asked, it writes files.
printf '#!/bin/sh\ntouch started "$1.h" "$1_clnt.c"\n' >"$work/sun/rpcgen"
chmod +x "$work/sun/rpcgen"
ln -s "$(command -v node)" "$(command -v unzip)" "$work/sun/"

echo "rpcgen-go on the PATH"
PATH="$work/ours:$work/sun:/bin" node .tools/vscode/drive.cjs $vsix "$work/plain"
echo "the tool of a module"
node .tools/vscode/drive.cjs $vsix "$work/module"
echo "the rpcgen of Sun RPC on the PATH"
REFUSED='There is no rpcgen' PATH="$work/sun" node .tools/vscode/drive.cjs $vsix "$work/empty"
RPCGEN_COMMAND="[\"$work/sun/rpcgen\"]" REFUSED='does not answer' PATH="$work/sun" node .tools/vscode/drive.cjs $vsix "$work/empty"
[ "$(ls -A "$work/empty")$(ls "$work/empty/rpc")" = rpcmain.rpc.yaml ] || { echo "it wrote files: $(ls -R "$work/empty")" >&2; exit 1; }
