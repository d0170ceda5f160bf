#!/usr/bin/env bash
# build.sh [NAME] builds the image NAME (rpcgen-go) of the program, with buildah, which needs no daemon, else with docker, and starts it. Where neither works, it
# says so and succeeds.
set -euo pipefail
name=${1:-rpcgen-go}
cd "$(dirname "$0")/../.."
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
if command -v buildah >/dev/null && buildah info >/dev/null 2>&1; then
	with=buildah
elif command -v docker >/dev/null && docker info >/dev/null 2>&1; then
	with=docker
else
	echo "skipped: there is neither buildah nor a Docker daemon"
	exit
fi
CGO_ENABLED=0 GOOS=linux go build -trimpath -ldflags="-s -w" -o "$context/rpcgen-go" ./cmd/rpcgen-go
cp .tools/image/Containerfile "$context/Dockerfile"
# Files have no time of their own, so that an image that is built again is the same.
case $with in
buildah)
	buildah build --quiet --isolation chroot --timestamp 0 --tag "$name" "$context" >/dev/null
	container=$(buildah from "$name")
	trap 'rm -rf "$context"; buildah rm "$container" >/dev/null' EXIT
	said=$(buildah run --isolation chroot "$container" /rpcgen version)
	size=$(stat -c %s "$context/rpcgen-go")
	;;
docker)
	docker build --quiet --tag "$name" "$context" >/dev/null
	said=$(docker run --rm "$name" version)
	size=$(docker image inspect --format '{{.Size}}' "$name")
	;;
esac
echo "$name: $((size / 1000000)) MB, built with $with: $said"
[[ $said == rpcgen\ * ]] && [ "$size" -le 30000000 ] || { echo "the image does not start, or has more than 30 MB" >&2; exit 1; }
