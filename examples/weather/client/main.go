// Command client makes calls of every kind to the weather server, and prints them. Without flags it starts the server and shows the exchange; with
// one it reaches a server that runs, over that transport.
//
//test:by ./examples/weather
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/rpcgen-go/rpcgen/examples/weather/tour"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcptls"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// run reaches the server that the flags name.
func run(ctx context.Context) error {
	address := flag.String("tcp", "", "reach the server at this `address`")
	url := flag.String("http", "", "reach the server at this `URL`, such as http://localhost:8080/rpc")
	socket := flag.String("unix", "", "reach the server at the Unix socket with this `path`")
	secure := flag.String("tls", "", "reach the server at this `address` over TLS")
	authority := flag.String("ca", "", "trust servers with certificates of the authority in this `file`")
	flag.Parse()
	alerts := make(tour.Watcher, 1)
	callbacks := weather.NewCallbackHandler(alerts)
	switch {
	case *address != "":
		s, err := tcp.Dial(ctx, *address, callbacks)
		return visit(ctx, s, err, alerts)
	case *socket != "":
		s, err := tcp.DialUnix(ctx, *socket, callbacks)
		return visit(ctx, s, err, alerts)
	case *secure != "":
		config, err := trust(*authority)
		if err != nil {
			return err
		}
		s, err := tcptls.Dial(ctx, *secure, config, callbacks)
		return visit(ctx, s, err, alerts)
	case *url != "":
		conn, err := rpchttp.Dial(*url, rpchttp.ClientOptions{})
		if err != nil {
			return err
		}
		defer conn.Close()
		return tour.Run(ctx, weather.NewClient(conn), nil)
	}
	return demo(ctx, callbacks, alerts)
}

// visit makes the calls over a session, and ends it.
func visit(ctx context.Context, s *runtime.Session, err error, alerts tour.Watcher) error {
	if err != nil {
		return err
	}
	err = tour.Run(ctx, weather.NewClient(s), alerts)
	s.Close()
	return errors.Join(err, s.Wait())
}

// trust returns the configuration of a client that trusts the authority in a file, or those of the system if file is empty.
func trust(file string) (*tls.Config, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New(file + " holds no certificate")
	}
	return &tls.Config{RootCAs: pool}, nil
}

// demo builds and starts the server, makes the calls, and ends it.
func demo(ctx context.Context, callbacks runtime.Handler, alerts tour.Watcher) error {
	server, remove, err := build(ctx)
	if err != nil {
		return err
	}
	defer remove()
	process, err := stdio.Command(ctx, exec.Command(server), callbacks, stdio.WithStderr(os.Stderr), stdio.WithTrace(show))
	if err != nil {
		return err
	}
	return errors.Join(tour.Run(ctx, weather.NewClient(process), alerts), process.Close())
}

// build compiles the server: go run would stand between the two processes.
func build(ctx context.Context) (binary string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "weather-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	binary = filepath.Join(dir, "server.exe")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/rpcgen-go/rpcgen/examples/weather/server")
	if out, err := cmd.CombinedOutput(); err != nil {
		remove()
		return "", nil, fmt.Errorf("building the server: %w\n%s", err, out)
	}
	return binary, remove, nil
}

// show prints a message as it goes over the wire.
func show(sent bool, frame []byte) {
	arrow := "<--"
	if sent {
		arrow = "-->"
	}
	tour.Say("    %s %s", arrow, frame)
}
