package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// asBrowser is the variable of the environment that makes the tests the program that opens a page.
const asBrowser = "LOGIN_TEST_IS_BROWSER"

func TestMain(m *testing.M) {
	if os.Getenv(asBrowser) == "" {
		os.Exit(m.Run())
	}
	if err := visit(context.Background(), os.Args[1], password); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// hiddenID is the field of the provider's form that a browser sends back.
var hiddenID = regexp.MustCompile(`name="id" value="([^"]+)"`)

// visit is a browser whose person logs in: it opens the page, fills in the form and follows all redirects.
func visit(ctx context.Context, page, password string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	get, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	resp, err := browser.Do(get)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	html, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	id := hiddenID.FindSubmatch(html)
	if id == nil {
		return fmt.Errorf("no form on the page: %s", html)
	}
	form := url.Values{"id": {string(id[1])}, "username": {user}, "password": {password}}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, resp.Request.URL.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	post.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if resp, err = browser.Do(post); err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// person logs in with a browser.
func person(password string) *mcpauth.Login {
	open := func(ctx context.Context, page string) error {
		go visit(ctx, page, password)
		return nil
	}
	return &mcpauth.Login{Agent: &mcpauth.Loopback{Open: open}}
}

// caller connects to the MCP server and returns who it takes the client for.
func caller(t *testing.T, at string, o mcpauth.Options) (string, error) {
	t.Helper()
	auth, err := mcpauth.New(at, o)
	if err != nil {
		t.Fatal(err)
	}
	defer auth.CloseIdleConnections()
	conn, err := mcpclient.Connect(t.Context(), mcphttp.Dial(at, mcphttp.ClientOptions{HTTP: auth.Client()}), mcpclient.Options{Logger: quiet})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	found, err := toolbox.NewClient(conn).LookUp(t.Context(), toolbox.Query{Text: "tea"})
	return found["caller"], err
}

// TestLogin: a person logs in once. The token is refreshed when it has expired, and when the provider has changed its key; the refresh token
// changes each time. When that is gone, the person logs in again.
func TestLogin(t *testing.T) {
	p := newProvider(t)
	at := serve(t, p)
	o := mcpauth.Options{Grant: person(password), Client: mcpauth.Client{ID: app}, Store: mcpauth.Files(t.TempDir())}
	check := func(step string, logins, tokens int) {
		t.Helper()
		if who, err := caller(t, at, o); err != nil || who != "id1" {
			t.Fatalf("%s: %q, %v", step, who, err)
		}
		if a, b := p.count("/auth"), p.count("/oauth/token"); a != logins || b != tokens {
			t.Errorf("%s: %d logins and %d token requests, want %d and %d", step, a, b, logins, tokens)
		}
	}
	check("first", 1, 1)
	p.expire()
	check("expired", 1, 2)
	check("again", 1, 2)
	p.rotate(t)
	check("another key", 1, 3)
	p.rotate(t)
	check("yet another key", 1, 4)
	if err := p.TerminateSession(t.Context(), "id1", app); err != nil {
		t.Fatal(err)
	}
	p.rotate(t)
	check("logged out", 2, 6)
}

// TestClientCredentials: a program logs in as itself, and one with a wrong password does not.
func TestClientCredentials(t *testing.T) {
	p := newProvider(t)
	at := serve(t, p)
	o := mcpauth.Options{Grant: &mcpauth.ClientCredentials{}, Client: mcpauth.Client{ID: robot, Secret: robotsPassword}}
	if who, err := caller(t, at, o); err != nil || who != robot {
		t.Errorf("%q, %v", who, err)
	}
	o.Client.Secret = "guessed-password"
	_, err := caller(t, at, o)
	if _, ok := errors.AsType[*mcpauth.ServerError](err); !ok || strings.Contains(err.Error(), "guessed-password") {
		t.Errorf("got %v", err)
	}
}

// TestUnknownClient: the provider registers no clients, and shows its error to the person.
func TestUnknownClient(t *testing.T) {
	p := newProvider(t)
	at := serve(t, p)
	if _, err := caller(t, at, mcpauth.Options{Grant: person(password)}); !errors.Is(err, mcpauth.ErrClient) {
		t.Errorf("got %v", err)
	}
	short := person(password)
	short.Timeout = 500 * time.Millisecond
	if _, err := caller(t, at, mcpauth.Options{Grant: short, Client: mcpauth.Client{ID: "unknown"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestCommand: rpcgen call logs in with a browser, and then uses the token that it has kept.
func TestCommand(t *testing.T) {
	p := newProvider(t)
	at := serve(t, p)
	rpcgen := filepath.Join(t.TempDir(), "rpcgen")
	build := exec.Command("go", "build", "-o", rpcgen, "./cmd/rpcgen")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	browser, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config := t.TempDir()
	run := func(args ...string) (string, string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), rpcgen, args...)
		cmd.Env = append(os.Environ(), "BROWSER="+browser, asBrowser+"=1", "XDG_CONFIG_HOME="+config, "HOME="+config, "AppData="+config)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatalf("rpcgen %v: %v\n%s", args, err, &errs)
		}
		return out.String(), errs.String()
	}
	out, errs := run("call", "--login", "browser", "--client-id", app, at, "look_up", "text=tea")
	if !strings.Contains(out, `"caller": "id1"`) || !strings.Contains(errs, p.url+"/auth?") {
		t.Errorf("%s\n%s", out, errs)
	}
	out, errs = run("call", at, "look_up", "text=tea")
	if !strings.Contains(out, `"caller": "id1"`) || errs != "" || p.count("/auth") != 1 {
		t.Errorf("%s\n%s", out, errs)
	}
	p.rotate(t)
	if out, _ = run("call", "--client-id", app, at, "look_up", "text=tea"); !strings.Contains(out, `"caller": "id1"`) || p.count("/auth") != 1 {
		t.Errorf("a token was not refreshed: %s", out)
	}
	checkFiles(t, config)
}

// checkFiles fails unless there is one file with a token, and its lock, for their owner only.
func checkFiles(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "rpcgen", "tokens", "*"))
	if err != nil || runtime.GOOS == "linux" && (len(files) != 2 || filepath.Ext(files[0]) != ".json" || filepath.Ext(files[1]) != ".lock") {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
}
