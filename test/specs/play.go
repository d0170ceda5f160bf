package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

// program plays the recorded exchanges through the generated package.
//
//go:embed play.txt
var program []byte

// exchanges plays the recorded exchanges of Ethereum.
func exchanges(rows []row) error {
	for _, r := range rows {
		if r.Name != "ethereum" {
			continue
		}
		dir := filepath.Join(r.dir(), "play")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), program, 0o644); err != nil {
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
