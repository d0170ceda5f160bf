package ship

import (
	"fmt"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"strings"
)

// Workflow returns a workflow for GitHub that ships a tag: it makes all files, attaches them to a release, and pushes the image. It contains no
// secret: its token is that of the run. The arguments are those of ship, without what the workflow itself knows.
func Workflow(arguments []string) []byte {
	return fmt.Appendf(nil, workflow, strings.Join(ir.Each(arguments, shellWord), " "))
}

// shellWord quotes a word for a shell where it has to be.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@,+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

const workflow = `# Ships the server at a tag such as v1.2.0: programs, bundle, image and server.json, as a release with an image.
on:
  push:
    tags: ["v*"]
permissions: {contents: write, packages: write}
jobs:
  ship:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-go@v6
        with: {go-version-file: go.mod}
      - name: ship
        run: |
          image="ghcr.io/${GITHUB_REPOSITORY,,}"
          go tool rpcgen ship --version "${GITHUB_REF_NAME#v}" --out dist --image "$image" --download "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/releases/download/$GITHUB_REF_NAME" %s
          echo "IMAGE=$image:${GITHUB_REF_NAME#v}" >> "$GITHUB_ENV"
      - name: publish
        env:
          GH_TOKEN: ${{ github.token }}
        run: |
          gh release create "$GITHUB_REF_NAME" --verify-tag --generate-notes dist/*
          skopeo copy --all --dest-creds "$GITHUB_ACTOR:$GH_TOKEN" oci-archive:"$(echo dist/*-oci.tar)" "docker://$IMAGE"
`
