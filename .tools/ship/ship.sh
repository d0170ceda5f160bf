#!/usr/bin/env bash
# ship.sh ships the shop of examples twice, compares the files, and has the programs of others judge them: the official command mcpb, skopeo, and buildah where
# it works. The programs of the bundle and the image are started. It needs node and npm, and a network.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o bin/ ./cmd/rpcgen
# The programs are compiled without inlining, as the scripts of the command compile what they ship: the build cache then has what those for this machine need.
ship() {
	(cd examples/shop && GOFLAGS="'-gcflags=all=-l -dwarf=false'" "$root/bin/rpcgen" ship . --name io.github.rpcgen-go/shop --author rpcgen-go \
		--out "$1" --mcpb-arch arm64 --download https://github.com/rpcgen-go/rpcgen/releases/download/v1.4.0 --image ghcr.io/rpcgen-go/shop)
}
ship "$work/dist"
ship "$work/again" >/dev/null
diff -r "$work/dist" "$work/again"
echo "made twice: equal bytes"
(cd "$work/dist" && sha256sum --check --quiet SHA256SUMS)
go test -vet=off ./cmd/rpcgen/internal/workshop/ship -count=1 -run TestShipped -shipped "$work/dist" -v

cp .tools/ship/package.json .tools/ship/package-lock.json "$work"
(cd "$work" && npm ci --no-audit --no-fund --loglevel=error >/dev/null)
for bundle in "$work"/dist/*.mcpb; do
	mkdir "$work/bundle"
	(cd "$work/bundle" && unzip -q "$bundle")
	"$work/node_modules/.bin/mcpb" validate "$work/bundle/manifest.json"
	"$work/node_modules/.bin/mcpb" info "$bundle"
	rm -r "$work/bundle"
done

image=$(echo "$work"/dist/*-oci.tar)
if ! command -v skopeo >/dev/null; then
	echo "skipped: there is no skopeo to read the image"
	exit
fi
for arch in amd64 arm64; do
	skopeo inspect --override-os linux --override-arch $arch --format "{{index .Labels \"io.modelcontextprotocol.server.name\"}} {{.Architecture}}" "oci-archive:$image" |
		grep -x "io.github.rpcgen-go/shop $arch"
done
skopeo copy --quiet --all "oci-archive:$image" "dir:$work/image"
if ! { command -v buildah && buildah info; } >/dev/null 2>&1; then
	echo "skipped: there is no buildah that works to run the image"
	exit
fi
container=$(buildah from --isolation chroot "oci-archive:$image" 2>/dev/null || true)
[ -n "$container" ] || { echo "skipped: buildah cannot unpack the image here"; exit; }
trap 'rm -rf "$work"; buildah rm "$container" >/dev/null' EXIT
request='{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"ship","version":"1"}}}}'
echo "$request" | buildah run --isolation chroot "$container" /bin/shop | grep -q '"name":"search_items"'
echo "the image answers in a container"
