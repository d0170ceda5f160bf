package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/verify/settings"
)

// ErrFindings says that answers were wrong, a limit was exceeded, or the figures are invalid. What it is was printed.
var ErrFindings = errors.New("the run is not good")

// flags are those of the command.
type flags struct {
	remote.Flags
	choice
	workers, sessions int
	duration, warm    time.Duration
	grace             time.Duration
	rate              float64
	jsonrpc           bool
	params            string
	jsonFile, svg     string
	maxP99            time.Duration
	maxErrors         string
	planFile          string
}

// Command returns the command load of a command of the given version.
func Command(version string) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "load URL [TOOL [NAME=VALUE...]] | load [TOOL [NAME=VALUE...]] -- COMMAND [ARG...]",
		Short: "Measure how many calls a server answers, how fast, and whether the answers are right",
		RunE: func(c *cobra.Command, args []string) error {
			rest, err := f.Take(c, args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				f.tool, f.words = rest[0], rest[1:]
			}
			if f.planFile != "" {
				if f.plan, err = settings.Read(f.planFile); err != nil {
					return &remote.UsageError{Err: err}
				}
			}
			return f.Run(c, func(ctx context.Context, t remote.Terminal) error { return f.run(ctx, t) })
		},
	}
	f.AddTo(c, version)
	remote.AddWait(c, &f.Wait)
	c.Flags().IntVarP(&f.workers, "workers", "c", 64, "how many calls are in flight at most")
	c.Flags().IntVar(&f.sessions, "sessions", 0, "how many connections the workers share, each to a process of its own if a command is given; by default "+
		"each worker has its own, and all share the one process of a command")
	c.Flags().DurationVarP(&f.duration, "duration", "d", 10*time.Second, "how long calls count")
	c.Flags().DurationVar(&f.warm, "warm", 2*time.Second, "how long calls are made before that")
	c.Flags().DurationVar(&f.grace, "grace", 10*time.Second, "how long calls may take when the time is over; those that are not answered then have failed")
	c.Flags().Float64Var(&f.rate, "rate", 0, "calls a second; by default as many as the workers make")
	c.Flags().IntVar(&f.vary, "vary", 1000, "how many different calls are made")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of the generated values: the same number gives the same calls")
	c.Flags().BoolVar(&f.allowWrites, "allow-writes", false, "call tools that do not say that they only read, unless they may destroy something")
	c.Flags().BoolVar(&f.allowDestructive, "allow-destructive", false, "call all tools")
	c.Flags().StringVar(&f.planFile, "plan", "", "take the tools, values and weights of this `FILE`, which is written as verify.yaml")
	c.Flags().BoolVar(&f.jsonrpc, "jsonrpc", false, "call a method of a JSON-RPC server in place of a tool; the URL may be tcp://HOST:PORT")
	c.Flags().StringVar(&f.params, "params", "", "the params of the method, as `JSON`")
	c.Flags().StringVar(&f.jsonFile, "json", "", "write the report as JSON to this `FILE`")
	c.Flags().StringVar(&f.svg, "svg", "", "write a chart to this `FILE`")
	c.Flags().DurationVar(&f.maxP99, "max-p99", 0, "exit with 1 if 1 % of the response times are longer")
	c.Flags().StringVar(&f.maxErrors, "max-errors", "", "exit with 1 if more than this `SHARE` of the calls fail, such as 0.1%")
	return c
}

// check returns an error if the flags do not fit together.
func (f *flags) check() (maxErrors float64, err error) {
	usage := func(format string, values ...any) (float64, error) { return 0, remote.Usage(format, values...) }
	switch {
	case f.workers < 1 || f.workers > 10_000:
		return usage("--workers is a number from 1 to 10000, not %d", f.workers)
	case f.duration <= 0 || f.duration > 24*time.Hour || f.warm < 0 || f.grace < 0:
		return usage("--duration is more than nothing and at most 24h, --warm and --grace are not negative")
	case f.rate < 0 || f.rate > 1e6:
		return usage("--rate is at most 1000000, not %g", f.rate)
	case f.vary < 1 || f.vary > 100_000:
		return usage("--vary is a number from 1 to 100000, not %d", f.vary)
	case f.jsonrpc && (f.tool == "" || len(f.words) > 0):
		return usage("--jsonrpc takes one method, and its params by --params")
	case !f.jsonrpc && f.params != "":
		return usage("--params goes with --jsonrpc; arguments of tools are NAME=VALUE")
	case f.jsonrpc && f.planFile != "":
		return usage("--plan is for the tools of an MCP server")
	case f.params != "" && !json.Valid([]byte(f.params)):
		return usage("--params is not JSON")
	case f.maxErrors == "":
		return -1, nil
	}
	number, percent := strings.CutSuffix(f.maxErrors, "%")
	if maxErrors, err = strconv.ParseFloat(number, 64); err != nil || maxErrors < 0 {
		return usage("--max-errors is a share such as 0.1%% or 0.001, not %q", f.maxErrors)
	}
	if percent {
		maxErrors /= 100
	}
	return maxErrors, nil
}

// run measures, and prints the report.
func (f *flags) run(ctx context.Context, t remote.Terminal) (err error) {
	maxErrors, err := f.check()
	if err != nil {
		return err
	}
	p := &plan{workers: f.workers, duration: f.duration, warm: f.warm, grace: f.grace, rate: f.rate, answers: newAnswers()}
	p.answers.alone = p.workers == 1
	defer func() {
		for _, peer := range p.peers {
			if fault := peer.Close(); err == nil {
				err = fault
			}
		}
	}()
	server, err := f.prepare(ctx, p, t)
	if err != nil {
		return err
	}
	var failed int
	var reason string
	if p.calls, failed, reason, err = prove(ctx, p.peers[0], p.calls, p.answers, f.Wait); err != nil {
		return err
	}
	if failed > 0 {
		fmt.Fprintf(t.Err, "%d of the calls are refused, such as %s\n", failed, reason)
	}
	fmt.Fprintf(t.Err, "%s: different calls: %d, workers: %d, connections: %d\n", server, len(p.calls), p.workers, len(p.peers))
	p.calls = balance(p.calls, f.plan.Weights)
	if t.Interactive {
		p.progress = func(done uint64, left time.Duration) {
			fmt.Fprintf(t.Err, "\r%d calls, %s left ", done, max(0, left.Round(time.Second)))
		}
	}
	counted, took := p.run(ctx)
	if t.Interactive {
		fmt.Fprint(t.Err, "\r")
	}
	if ctx.Err() == nil {
		confirm(ctx, p.peers[0], counted, p.answers, p.duration)
	}
	r := newReport(server, p, counted, took)
	r.limit(f.maxP99, maxErrors)
	return f.write(r, t.Out)
}

// prepare connects to the server and makes the calls. It returns what the server says of itself.
func (f *flags) prepare(ctx context.Context, p *plan, t remote.Terminal) (server string, err error) {
	n := f.sessions
	if n <= 0 {
		n = f.workers
		if f.URL == "" {
			n = 1
		}
	}
	first, err := open(ctx, &f.Server, f.jsonrpc, t.Err)
	if err != nil {
		return "", err
	}
	p.peers = append(p.peers, first)
	if m, ok := first.(*mcpPeer); ok {
		tools, err := remote.ListTools(ctx, m.client, t.Err)
		if err != nil {
			return "", err
		}
		var skipped []string
		if p.calls, skipped, err = f.pool(tools); err != nil {
			return "", err
		}
		for _, why := range skipped {
			fmt.Fprintln(t.Err, "not called:", why)
		}
		if server, err = remote.About(ctx, m.client); err != nil {
			return "", err
		}
	} else {
		server = f.tool
		p.calls = []*Call{{Name: f.tool, Args: []byte(f.params), target: &checker{}}}
	}
	for range min(n, f.workers) - 1 {
		peer, err := open(ctx, &f.Server, f.jsonrpc, t.Err)
		if err != nil {
			return "", fmt.Errorf("connection %d: %w", len(p.peers)+1, err)
		}
		p.peers = append(p.peers, peer)
	}
	return server, nil
}

// write writes the report to the terminal and to files.
func (f *flags) write(r *report, out io.Writer) error {
	if err := r.writeText(out); err != nil {
		return err
	}
	if err := errors.Join(remote.WriteFile(f.jsonFile, r.writeJSON), remote.WriteFile(f.svg, r.writeSVG)); err != nil {
		return err
	}
	if !r.good() {
		return ErrFindings
	}
	return nil
}
