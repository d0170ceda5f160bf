package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// scripts is what was measured of generated TypeScript, in Node.
type scripts struct {
	Node string
	Rows []scriptRow
}

type scriptRow struct {
	Title, Kind string
	Bytes       int
	Took        map[string]float64 // nanoseconds of processor time, by contestant
}

// scriptPeers are the contestants of generated TypeScript.
var scriptPeers = []string{"JSON.parse", "ajv, standalone", "typebox, compiled", "zod 4", "valibot"}

// measureScripts generates the modules of bench.rpc.yaml and compares them with the validators that package.json names.
func measureScripts() (m scripts, err error) {
	say("TypeScript: npm, and node for half a minute")
	run := func(name string, args ...string) (out []byte, err error) {
		c := exec.Command(name, args...)
		c.Stderr = os.Stderr
		if name != "go" {
			c.Dir = "typescript"
		}
		if out, err = c.Output(); err != nil {
			err = fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
		}
		return out, err
	}
	if _, err = run("go", "tool", "rpcgen", "generate", "--quiet", "--lang", "typescript", "--out", "typescript/rpc", "bench.rpc.yaml"); err != nil {
		return m, err
	}
	if _, err = run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"); err != nil {
		return m, err
	}
	out, err := run("node", "bench.mjs", "--json")
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(out, &m)
}

// write writes how many times as long the contestants need.
func (m *scripts) write(b *strings.Builder) {
	fmt.Fprintf(b, "## TypeScript\n\nWhat `rpcgen generate --lang typescript` writes, in Node %s, and validators with schemas for the same: **parse** reads "+
		"a text without a check, **read** with one, **check** has a value, **refuse** lists all faults of a value with three. The first column shows "+
		"the processor time, the others how many times as much the peers need; below 1 they are faster. Peers read with JSON.parse, which rounds long "+
		"numbers and takes the last of members that occur twice, where rpcgen refuses or keeps them. The functions of ajv and typebox are compiled "+
		"from schemas: ajv beforehand, typebox when a program starts.\n\n", strings.TrimPrefix(m.Node, "v"))
	fmt.Fprintf(b, "| | rpcgen | %s |\n|---|--:|%s\n", strings.Join(scriptPeers, " | "), strings.Repeat("--:|", len(scriptPeers)))
	for _, r := range m.Rows {
		own := r.Took["rpcgen"]
		fmt.Fprintf(b, "| %s: %s | %s |", r.Title, r.Kind, duration(own))
		for _, name := range scriptPeers {
			if took, ok := r.Took[name]; ok {
				fmt.Fprintf(b, " %s |", x(took/own))
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}
