package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// program plays the recorded exchanges through the generated package.
const program = `package main

import (
	"os"

	"github.com/rpcgen-go/rpcgen/test/specs/_out/ethereum"
	"github.com/rpcgen-go/rpcgen/test/specs/exchanges"
	"github.com/rpcgen-go/rpcgen/runtime"
)

func main() {
	os.Exit(exchanges.Play(os.Args[1], os.Args[2], func(c runtime.Conn) any { return ethereum.NewClient(c) }, ethereum.NewHandler(ethereum.UnimplementedServer{})))
}
`

// exchanges plays the recorded exchanges of Ethereum.
func exchanges(rows []row) error {
	for _, r := range rows {
		if r.name != "ethereum" {
			continue
		}
		dir := filepath.Join(r.dir(), "play")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
			return err
		}
		recorded := filepath.Join(r.dir(), "exchanges.jsonl")
		if err := unzip("testdata/ethereum-exchanges.jsonl.gz", recorded); err != nil {
			return err
		}
		if err := command("go", "run", "./"+dir, filepath.Join(r.dir(), "ethereum.json"), recorded); err != nil {
			return err
		}
		fmt.Println("Ethereum: the recorded exchanges are sent, read and written as they were")
	}
	return nil
}
