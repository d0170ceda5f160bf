package lsp

import (
	"log/slog"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

// Command returns the command lsp of a command of the given version, which reads the lists of servers with imports.
func Command(version string, imports listed.Import) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Start a language server for schemas, for editors",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
			defer stop()
			log := slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
			return Serve(ctx, stdio.NewConn(os.Stdin, os.Stdout, frame.Headers, MaxFrame), Options{Version: version, Logger: log, Imports: imports})
		},
	}
}
