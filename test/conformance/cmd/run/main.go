// Command run proves rpcgen by the tests, clients and servers of others: it runs the official conformance suite of MCP against the server and the client of
// test/conformance, has the clients of others go through plans at rpcgen's servers, and rpcgen's client through plans at the servers of others, and clients
// and servers of plain JSON-RPC meet those of examples/weather. It prints a table, and fails when that is not the one in expected.txt.
//
// All of that comes from the npm registry, in the versions of clients/package-lock.json, and stays in .cache/conformance. It needs npm.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

// Where things are, from the root of the repository on.
const (
	clientsFolder = "test/conformance/clients"
	expectedFile  = "test/conformance/cmd/run/expected.txt"
	cacheFolder   = ".cache/conformance"
)

func main() {
	update := flag.Bool("update", false, "write the table to "+expectedFile)
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := prove(ctx, *update); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// prove runs everything, in the folder that is the root of the repository.
func prove(ctx context.Context, update bool) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	b := &bench{root: root}
	if err := b.install(ctx); err != nil {
		return err
	}
	if err := b.build(ctx); err != nil {
		return err
	}
	t := new(table)
	err = errors.Join(b.suite(ctx, t), b.visits(ctx, t), b.logins(ctx, t), b.peers(ctx, t))
	fmt.Print(t)
	for _, fault := range t.faults {
		fmt.Fprintln(os.Stderr, fault)
	}
	if err != nil {
		return err
	}
	return compare(t.String(), update)
}

// compare compares the table with the one that is expected, or writes it there.
func compare(got string, update bool) error {
	if update {
		return os.WriteFile(expectedFile, []byte(got), 0o644)
	}
	want, err := os.ReadFile(expectedFile)
	if err != nil {
		return err
	}
	if got == string(want) {
		return nil
	}
	return fmt.Errorf("the table is not the one of %s:\n%s", expectedFile, difference(string(want), got))
}
