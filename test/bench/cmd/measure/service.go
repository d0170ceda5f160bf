package main

import (
	"fmt"
	"strings"
)

var (
	nouns = strings.Fields(`account address article asset audit basket branch budget calendar campaign card catalog channel
		claim comment contract coupon customer device document employee event export feature filter folder image invoice item
		job label ledger license location message order payment plan product report`)
	verbs = strings.Fields(`list get create update delete search count archive restore copy move rename lock unlock share
		approve reject assign watch export import merge split tag verify`)
)

// serviceSchema returns a schema with n methods, at most 1,000. Each has params of six fields, four of them with rules, and a result
// of three fields, one of them a list of structs with four. The first fast of them have codec: fast, if the codec is compact.
func serviceSchema(n int, compact bool, fast int) string {
	var types, methods strings.Builder
	for i := range n {
		noun, verb, codec := nouns[i%len(nouns)], verbs[i/len(nouns)], ""
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
	if compact {
		head += "go: {codec: compact}\n"
	}
	return head + "types:\n" + types.String() + "methods:\n" + methods.String()
}

const greeterSchema = `rpcgen: v1
package: rpc
methods:
  greeting/get:
    params: {name: {type: string, minLength: 1, maxLength: 80}}
    result: {text: string}
`

const greeterMain = `package main

import (
	"context"
	"log"

	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"

	"example.com/measured/hello/rpc"
)

type service struct{ rpc.UnimplementedServer }

func (service) GreetingGet(_ context.Context, p rpc.GreetingGetParams) (rpc.GreetingGetResult, error) {
	return rpc.GreetingGetResult{Text: "Hello, " + p.Name}, nil
}

func main() {
	if err := stdio.Serve(context.Background(), rpc.NewHandler(service{})); err != nil {
		log.Fatal(err)
	}
}
`

const emptyMain = "package main\n\nfunc main() {}\n"

// plainMain is what a server by hand needs at least: encoding/json and something to read lines with.
const plainMain = `package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage
			Params struct{ Name string }
		}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(map[string]any{"jsonrpc": "2.0", "id": request.ID, "result": map[string]string{"text": "Hello, " + request.Params.Name}}); err != nil {
			log.Fatal(err)
		}
	}
}
`
