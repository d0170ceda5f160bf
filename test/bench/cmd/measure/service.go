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

// largeMain serves the large service, none of whose methods is implemented.
const largeMain = `package main

import (
	"context"
	"log"

	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"

	service "example.com/measured/large/rpc"
)

func main() {
	if err := stdio.Serve(context.Background(), service.NewHandler(service.UnimplementedServer{})); err != nil {
		log.Fatal(err)
	}
}
`
