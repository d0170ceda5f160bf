package mount

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

var errNowhere = errors.New("set either command or url")

// Dial returns how a server is reached: by its command or URL.
func Dial(_ string, s Server) mcpclient.Dialer {
	switch {
	case s.URL != "":
		return dialURL(s)
	case len(s.Command) == 0:
		return func(context.Context, runtime.Handler) (runtime.Conn, error) { return nil, errNowhere }
	}
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Env = os.Environ()
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return stdio.Dial(cmd)
}
