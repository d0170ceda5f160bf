package stdio

import (
	"context"
	"os/exec"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// Dial returns a function that connects a client to a program: each call starts a copy of cmd, as
// [Command] does. The program outlives the context of the call. The function is an
// mcpclient.Dialer. Closing the connection is [Process.Close].
func Dial(cmd *exec.Cmd, opts ...Option) func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		own := *cmd
		p, err := Command(context.WithoutCancel(ctx), &own, inbound, opts...)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
}
