package stdio

import (
	"context"
	"os/exec"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// Dial returns how a client reaches a program that is started for it: every connection starts a copy of cmd and talks to it, as [Command]
// does, whatever becomes of the context that it is made with. It is an mcpclient.Dialer. Close of the connection is [Process.Close].
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
