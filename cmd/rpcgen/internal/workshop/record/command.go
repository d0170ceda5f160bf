package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
)

// ErrExited says that the recorded command has failed. How was printed.
var ErrExited = errors.New("the command has failed")

// flags are those of the command.
type flags struct {
	output  string
	listen  string
	schema  string
	keep    []string
	noTimes bool
}

// Command returns the command record. The argument sensitive returns the names of the members that a schema file marks as sensitive.
func Command(sensitive func(c *cobra.Command, file string) ([]string, error)) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "record [-o FILE] -- COMMAND [ARG...] | record [-o FILE] --listen ADDRESS URL",
		Short: "Record what a client and a server say to each other",
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, args, sensitive)
		},
	}
	c.Flags().StringVarP(&f.output, "output", "o", "", "the `FILE` of the recording, which replaces one that is there; by default recording-DATE-TIME.txtar")
	c.Flags().StringVar(&f.listen, "listen", "", "the `ADDRESS` at which requests for the server at the URL are taken")
	c.Flags().StringVar(&f.schema, "schema", "", "a schema `FILE`, whose sensitive members are redacted")
	c.Flags().StringArrayVar(&f.keep, "keep", nil, "the `NAME` of a member or environment variable that is not secret; may be repeated")
	c.Flags().BoolVar(&f.noTimes, "no-times", false, "leave out when messages came, so that a comparison shows messages only")
	return c
}

// run records until the command ends, or until it is interrupted.
func (f *flags) run(c *cobra.Command, args []string, sensitive func(*cobra.Command, string) ([]string, error)) error {
	args, command, err := remote.SplitAtDash(c, args)
	if err != nil {
		return err
	}
	o := transcript.WriterOptions{NoTimes: f.noTimes, Transport: "stdio"}
	var p proxy
	switch {
	case f.listen == "" && (command == nil || len(args) > 0):
		return remote.Usage("name the server: -- and its command, or --listen ADDRESS and its URL")
	case f.listen != "" && (command != nil || len(args) != 1):
		return remote.Usage("--listen takes one URL, and no command")
	case f.listen != "":
		o.Transport = "http"
		if p.target, err = remote.Address(args[0], "http", "https"); err != nil {
			return &remote.UsageError{Err: err}
		}
	}
	redact := transcript.RedactOptions{Keep: f.keep, Environ: os.Environ()}
	if f.schema != "" {
		if redact.Names, err = sensitive(c, f.schema); err != nil {
			return err
		}
	}
	o.Redactor = transcript.NewRedactor(redact)
	file, err := create(f.output)
	if err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	r := newRecorder(file, o, func(err error) {
		fmt.Fprintf(stderr, "rpcgen record: the recording in %s has stopped, the traffic continues: %v\n", file.Name(), err)
	})
	ctx, stop := remote.UntilStopped(c.Context())
	defer stop()
	if f.listen != "" {
		p.recorder = r
		err = f.serve(ctx, &p, c)
	} else {
		err = (&pipe{command: command, in: os.Stdin, out: os.Stdout, err: os.Stderr, grace: grace}).run(ctx, r)
	}
	if fault := r.close(); fault != nil {
		err = errors.Join(err, fmt.Errorf("the end of the recording: %w", fault))
	} else {
		fmt.Fprintf(stderr, "rpcgen record: %s, %d values redacted\n", file.Name(), o.Redactor.Count())
	}
	if exited, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		fmt.Fprintf(stderr, "rpcgen record: the command has ended: %v\n", exited)
		return ErrExited
	} else if ok {
		return nil
	}
	return err
}

// serve listens and records.
func (f *flags) serve(ctx context.Context, p *proxy, c *cobra.Command) error {
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return &remote.UsageError{Err: err}
	}
	at := *p.target
	at.Scheme, at.Host, at.User = "http", l.Addr().String(), nil
	fmt.Fprintf(c.ErrOrStderr(), "rpcgen record: clients find the server at %s\n", at.String())
	return p.serve(ctx, l, log.New(c.ErrOrStderr(), "rpcgen record: ", 0))
}

// create creates the file of a recording. A file that is there is replaced only if it is a recording.
func create(name string) (*os.File, error) {
	if name == "" {
		name = time.Now().Format("recording-20060102-150405.txtar")
		return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		first, _ := bufio.NewReader(file).ReadString('\n')
		if !strings.HasPrefix(first, "rpcgen transcript ") {
			err = remote.Usage("%s exists, and is not a recording: name another file", name)
		} else if err = file.Truncate(0); err == nil {
			_, err = file.Seek(0, 0)
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
