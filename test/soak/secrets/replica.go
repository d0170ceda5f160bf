package secrets

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendoauth"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// settings are those of a process that serves the tools.
type settings struct {
	Store, API, Authority, Front, Strange string
	User                                  string // of a server that misbehaves on the standard streams, and no more
}

// Variable is the environment variable that makes this program such a process, see [Serve].
const Variable = "SOAK_SECRETS"

// replica is a process that was started.
type replica struct {
	command *exec.Cmd
	site    *url.URL
	input   io.Closer
	shown   *bytes.Buffer // what it has written
	to      io.Writer
}

// start starts a process, whose log is shown when it ends.
func start(to io.Writer, s settings) (*replica, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	r := &replica{command: exec.Command(os.Args[0]), shown: new(bytes.Buffer), to: to}
	r.command.Env = append(os.Environ(), Variable+"="+string(text))
	r.command.Stderr = r.shown
	out, err := r.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if r.input, err = r.command.StdinPipe(); err != nil {
		return nil, err
	}
	if err := r.command.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, r.stop())
	}
	r.site, err = url.Parse(line[:len(line)-1])
	return r, err
}

// stop ends the process, and looks for secrets in its log.
func (r *replica) stop() error {
	_ = r.input.Close()
	err := r.command.Wait()
	_, _ = r.to.Write(r.shown.Bytes())
	return err
}

// Serve serves the tools until the standard input ends. It reports false if the environment does not ask for that.
func Serve() (served bool, err error) {
	text := os.Getenv(Variable)
	if text == "" {
		return false, nil
	}
	var s settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return true, err
	}
	if s.User != "" {
		strangeStdio(s.User)
		return true, nil
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	slog.SetDefault(log)
	login, err := backendoauth.NewLogin(backendoauth.LoginOptions{
		Options: backendoauth.Options{ClientID: "client", ClientSecret: clientSecret, Authorize: s.Authority + "/authorize", Token: s.Authority + "/token",
			Scopes: []string{"issues"}},
		URL: s.Front, Store: backend.Folder(s.Store), Key: make([]byte, 32), User: func(r *http.Request) string { return r.Header.Get("X-User") },
	})
	if err != nil {
		return true, err
	}
	o := backend.Options{Server: s.API, Logger: log, Credentials: login, CallTimeout: time.Minute, Tries: 2}
	tools, err := rpc.NewBackend(rpc.BackendOptions{Tracker: o, Pay: o})
	if err != nil {
		return true, err
	}
	upstreams, err := mountAll(s, log)
	if err != nil {
		return true, err
	}
	defer upstreams.Close()
	server := rpc.NewServer(tools, mcp.Options{Logger: log, StateKeys: [][]byte{make([]byte, 32)}, Dynamic: upstreams})
	ids := map[string]string{}
	for _, user := range users[:len(users)-1] {
		ids["mcp-of-"+user] = user
	}
	mux := http.NewServeMux()
	mux.Handle("/login/", login)
	mux.Handle("/mcp", mcphttp.NewHandler(server, mcphttp.Options{Auth: mcphttp.Tokens(ids), Runtime: runtime.Options{Logger: log}}))
	mux.Handle("/open", mcphttp.NewHandler(server, mcphttp.Options{Runtime: runtime.Options{Logger: log}}))
	site := httptest.NewServer(mux)
	fmt.Println(site.URL)
	_, err = io.Copy(io.Discard, os.Stdin)
	site.CloseClientConnections()
	site.Close()
	return true, err
}

// mount connects to servers that misbehave, over HTTP and as programs, of which each user has one.
func mountAll(s settings, log *slog.Logger) (*mount.Upstreams, error) {
	limits := runtime.Options{Logger: log, MaxMessage: most}
	var all []mount.Upstream
	for _, user := range users[:len(users)-1] {
		s.User = user
		text, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		program := exec.Command(os.Args[0])
		program.Env = append(os.Environ(), Variable+"="+string(text))
		const patience = 2 * time.Second // some calls have no answer
		all = append(all,
			mount.Upstream{Name: user, Prefix: user + "_", Timeout: patience, Dial: mcphttp.Dial(s.Strange,
				mcphttp.ClientOptions{Runtime: limits, Token: mcphttp.StaticToken(upstreamToken(user))})},
			mount.Upstream{Name: user + ".stdio", Prefix: user + "_stdio_", Timeout: patience,
				Dial: stdio.Dial(program, stdio.WithMaxFrame(most), stdio.WithOptions(limits))})
	}
	return mount.NewUpstreams(mount.UpstreamOptions{Logger: log, Visible: func(ctx context.Context, from mount.Origin) bool {
		owner, _, _ := strings.Cut(from.Upstream, ".")
		return owner == mcp.PrincipalFrom(ctx)
	}}, all...)
}
