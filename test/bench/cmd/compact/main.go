// Compact runs a command for which the packages exist that are generated with the compact codec. No commit keeps these, so that what imports them stands
// below testdata/overlay. It is run in test/bench:
//
//	go run ./cmd/compact go test ./...
package main

import (
	"log"
	"os"
	"os/exec"
	"strings"

	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("name the command: go run ./cmd/compact go test ./...")
	}
	if err := run(os.Args[1], os.Args[2:]...); err != nil {
		log.Fatal(err)
	}
}

// run runs a command with the packages.
func run(name string, args ...string) error {
	dir, err := os.MkdirTemp("", "compact")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	flags, err := overlay.Flags(dir, overlay.Package{Folder: "rpc/compact", Schema: "bench.rpc.yaml", Compact: true},
		overlay.Package{Folder: "tools/compact", Schema: "tools.rpc.yaml", Compact: true, Side: templates.ServerOnly})
	if err != nil {
		return err
	}
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "GOFLAGS="+strings.Join(append(flags, os.Getenv("GOFLAGS")), " "))
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	return c.Run()
}
