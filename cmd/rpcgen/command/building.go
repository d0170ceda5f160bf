package command

import (
	"bytes"
	"fmt"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// From so many methods and tools, or lines of Go, on, people want to know what building takes before they wait for it.
const (
	manyCalls = 300
	manyLines = 100_000
)

// Of 1,000 lines: what go build took of packages with 64,000 to 640,000 lines, on two cores.
const (
	secondsOfLines   = 0.2
	gigabytesOfLines = 0.008
)

// buildCost says on one line what the first build of a large package takes, and what takes less; nothing of others.
func buildCost(doc *ir.Document, lines int) string {
	calls := len(doc.Methods) + len(doc.Tools)
	if calls < manyCalls && lines < manyLines {
		return ""
	}
	thousands := float64(lines) / 1000
	said := fmt.Sprintf("%s: %d methods and tools, %d lines of Go: the first build takes about %.0f s of processor time and %.1f GB of memory", display(doc.File),
		calls, lines, thousands*secondsOfLines, thousands*gigabytesOfLines)
	if !doc.Compact {
		said += "; go: {codec: compact} leaves out about half of the lines of methods, and an eighth of those of tools that call an API"
	}
	if len(doc.Backends) > 0 {
		said += "; rpcgen import --take takes fewer operations"
	}
	return said + "\n"
}

// linesOf counts the lines of files.
func linesOf(files []templates.File) (n int) {
	for _, f := range files {
		n += bytes.Count(f.Text, []byte("\n"))
	}
	return n
}
