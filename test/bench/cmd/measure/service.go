package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

var (
	nouns = strings.Fields(`account address article asset audit basket branch budget calendar campaign card catalog channel
		claim comment contract coupon customer device document employee event export feature filter folder image invoice item
		job label ledger license location message order payment plan product report`)
	verbs = strings.Fields(`list get create update delete search count archive restore copy move rename lock unlock share
		approve reject assign watch export import merge split tag verify`)
)

// compactOptions and withoutJSON are options for Go of the large service.
const (
	compactOptions = "codec: compact"
	withoutJSON    = "json: false"
)

// serviceSchema returns a schema with n methods and options for Go, which may be empty. Each has params of six fields, four of them with rules, and a result
// of three fields, one of them a list of structs with four. The first fast of them have codec: fast, if the codec is compact.
func serviceSchema(n int, options string, fast int) string {
	var types, methods strings.Builder
	for i := range n {
		noun, verb, codec := nouns[i%len(nouns)], verbs[i/len(nouns)%len(verbs)], ""
		if area := i / (len(nouns) * len(verbs)); area > 0 {
			noun = fmt.Sprintf("%s%d", noun, area)
		}
		if i < fast {
			codec = "    codec: fast\n"
		}
		fmt.Fprintf(&types, `  Day%[1]d:
    fields:
      date: string
      high: number
      low: number
      summary: {type: string, maxLength: 200}
`, i)
		fmt.Fprintf(&methods, `  %[2]s/%[3]s:
    description: Does %[3]s of %[2]s.
%[4]s    params:
      city: {type: string, minLength: 1, maxLength: 80}
      days: {type: integer, minimum: 1, maximum: 16}
      units?: {type: string, enum: [metric, imperial], default: metric}
      include: {type: list<string>, maxItems: 20}
      lang?: string
      detail: boolean
    result:
      city: string
      units: string
      days: list<Day%[1]d>
`, i, noun, verb, codec)
	}
	head := "rpcgen: v1\npackage: service\n"
	if options != "" {
		head += "go: {" + options + "}\n"
	}
	return head + "types:\n" + types.String() + "methods:\n" + methods.String()
}

//go:embed programs.txtar
var programs []byte

// program returns a file of the programs that are built.
func program(name string) string {
	all := txtar.Parse(programs).Files
	return string(all[slices.IndexFunc(all, func(f txtar.File) bool { return f.Name == name })].Data)
}
