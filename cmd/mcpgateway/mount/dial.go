package mount

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"

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
	cmd.Env = environment(&s)
	return stdio.Dial(cmd)
}

// inherited are the variables that every program gets, where they are set: what programs need to start, and nothing that is a credential.
var inherited = [...]string{
	"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
	// of Windows
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE",
	"SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// environment is what a program gets of the environment of the gateway, which has the tokens and secrets of the configuration, and what the configuration adds.
func environment(s *Server) []string {
	all := []string{} // nil would be everything
	for _, name := range slices.Concat(inherited[:], s.Inherit) {
		if value, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+value)
		}
	}
	for name, value := range s.Env {
		all = append(all, name+"="+value)
	}
	return all
}
