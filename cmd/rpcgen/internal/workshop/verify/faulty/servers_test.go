package faulty

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

// Fault is one promise that a server breaks. The zero value is a server without a fault.
type Fault struct {
	Name        string // the check that finds it and a word, such as Crash/empty-text
	Description string // what the server does
	Process     bool   // it shows only in a process of its own

	hooks func() hooks // for one connection
}

// Check is the name of the check that finds the fault.
func (fault Fault) Check() string {
	check, _, _ := strings.Cut(fault.Name, "/")
	return check
}

// Faults returns all faults, in the order of the checks.
func Faults() []Fault {
	return slices.Concat(lifeFaults, inputFaults, outputFaults, stateFaults, listFaults, wireFaults)
}

// Named returns the fault of a name. The name none is that of the server without a fault.
func Named(name string) (Fault, error) {
	if name == "none" {
		return Fault{Name: name}, nil
	}
	for _, f := range Faults() {
		if f.Name == name {
			return f, nil
		}
	}
	return Fault{}, fmt.Errorf("there is no fault %q", name)
}

// quiet drops what servers log.
var quiet = slog.New(slog.DiscardHandler)

// Library is the clean server of the faults, an MCP server.
func Library(ctx context.Context, in io.Reader, out io.Writer) error {
	return serve(ctx, NewLibrary(mcp.Options{Logger: quiet}), in, out)
}

// Weather is a clean server of plain JSON-RPC: that of examples/weather/weather.rpc.yaml, whose messages are lines.
func Weather(ctx context.Context, in io.Reader, out io.Writer) error {
	return serve(ctx, weather.NewHandler(office.Office{}), in, out)
}

func serve(ctx context.Context, h runtime.Handler, in io.Reader, out io.Writer) error {
	return stdio.Serve(ctx, h, stdio.WithInput(in), stdio.WithOutput(out), stdio.WithOptions(runtime.Options{Logger: quiet}))
}

// Connect starts a clean server with the fault in memory. The client reads from the first stream and writes to the second one, and closes the
// second one in the end; both are closed when the server ends.
func (fault Fault) Connect(ctx context.Context, clean Server) (io.ReadCloser, io.WriteCloser) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	end := func() {
		in.Close()
		out.Close()
	}
	go func() {
		defer end()
		fault.Serve(ctx, clean, in, out, func(int) { end() })
	}()
	return fromServer, toServer
}

// Main serves standard input and output. Its arguments are the name of a fault, or none, and library (the default) or weather, which names
// the clean server. It returns the exit code.
func Main(args []string) int {
	clean := map[string]Server{"": Library, "library": Library, "weather": Weather}
	args = append(args, "", "")
	fault, err := Named(args[0])
	server := clean[args[1]]
	if err != nil || server == nil {
		fmt.Fprintf(os.Stderr, "the variable is FAULT [library|weather]: %v\n", err)
		return 2
	}
	if err := fault.Serve(context.Background(), server, os.Stdin, os.Stdout, os.Exit); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
