package verify

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// conn says how instances of the server are reached. clean removes their folders.
func (f *flags) conn(t remote.Terminal) (conn contract.Conn, clean func(), err error) {
	clean = func() {}
	if len(f.Command) > 0 {
		if f.sandbox != "" {
			return f.sandboxConn()
		}
		f.o.Secrets = secrets(os.Environ())
		return contract.Command(f.Command...), clean, nil
	}
	u, err := url.Parse(f.URL)
	switch {
	case err != nil:
		return nil, clean, &remote.UsageError{Err: err}
	case u.Scheme == "tcp" && (f.o.Methods != nil || f.o.Discover):
		return contract.Stream(func(ctx context.Context) (io.ReadCloser, io.WriteCloser, error) {
			var d net.Dialer
			c, err := d.DialContext(ctx, "tcp", u.Host)
			return c, c, err
		}), clean, nil
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, clean, remote.Usage("%q is not reached: write http:// or https://, or, with a schema, an OpenRPC document or --jsonrpc, tcp://HOST:PORT", f.URL)
	}
	header, client, err := f.HTTP(t)
	return &contract.Site{URL: f.URL, Header: header, Client: client}, clean, err
}

// sandboxConn gives each instance folders of its own. The instances of one run share caches: what programs fetch at their start is fetched once.
func (f *flags) sandboxConn() (contract.Conn, func(), error) {
	base, clean, err := temporary()
	if err != nil {
		return nil, clean, err
	}
	command, err := absolute(f.Command)
	if err != nil {
		return nil, clean, err
	}
	var instances atomic.Int64
	var named []string
	for _, name := range f.env {
		if value, ok := os.LookupEnv(name); ok {
			named = append(named, name+"="+value)
		}
	}
	f.o.Secrets = secrets(named)
	if f.o.Files, err = f.files(); err != nil {
		return nil, clean, remote.Usage("--sandbox: %w", err)
	}
	cache := filepath.Join(base, "cache")
	p := &contract.Process{Args: command}
	p.Folder = func() (string, error) {
		folder := filepath.Join(base, strconv.FormatInt(instances.Add(1), 10), "work")
		for _, sub := range []string{folder, filepath.Join(folder, "../home"), filepath.Join(folder, "../tmp"), cache} {
			if err := os.MkdirAll(sub, 0o700); err != nil {
				return "", err
			}
		}
		if f.sandbox == noFiles {
			return folder, os.WriteFile(filepath.Join(folder, sampleFile), []byte("A line of text.\n"), 0o600)
		}
		return folder, copyFolder(folder, f.sandbox, base)
	}
	p.Env = func(folder string) []string {
		home, tmp := filepath.Join(folder, "../home"), filepath.Join(folder, "../tmp")
		env := []string{"HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + tmp, "TEMP=" + tmp, "TMP=" + tmp, "PWD=" + folder,
			"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_DATA_HOME=" + filepath.Join(home, ".local/share"), "XDG_STATE_HOME=" + filepath.Join(home, ".local/state"),
			"XDG_CACHE_HOME=" + cache, "npm_config_cache=" + filepath.Join(cache, "npm"), "npm_config_update_notifier=false"}
		for _, name := range []string{"PATH", "LANG", "SystemRoot", "PATHEXT"} {
			if value, ok := os.LookupEnv(name); ok {
				env = append(env, name+"="+value)
			}
		}
		return append(env, named...)
	}
	return p, clean, nil
}

// sampleFile is the file of a sandbox that gets none.
const sampleFile = "test.txt"

// files are a few names of files that a sandbox has.
func (f *flags) files() ([]string, error) {
	if f.sandbox == noFiles {
		return []string{sampleFile}, nil
	}
	entries, err := os.ReadDir(f.sandbox)
	var all []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") && len(all) < 5 {
			all = append(all, e.Name())
		}
	}
	return all, err
}

// programs are the extensions of files that an interpreter runs. Other files in a command are those of the sandbox.
var programs = map[string]bool{".js": true, ".mjs": true, ".cjs": true, ".ts": true, ".py": true, ".rb": true, ".php": true, ".jar": true, ".dll": true, ".sh": true, ".lua": true, ".pl": true}

// absolute returns a command whose programs do not depend on the folder that it runs in.
func absolute(command []string) ([]string, error) {
	out := append([]string(nil), command...)
	for i, word := range out {
		info, err := os.Stat(word)
		if err == nil && info.Mode().IsRegular() && strings.ContainsAny(word, `/\.`) && !filepath.IsAbs(word) && (i == 0 || info.Mode()&0o111 != 0 || programs[filepath.Ext(word)]) {
			path, err := filepath.Abs(word)
			if err != nil {
				return nil, err
			}
			out[i] = path
		}
	}
	return out, nil
}

// secretName is what variables of the environment are called that hold secrets.
var secretName = text.Pattern(`(?i)(key|token|secret|passw|credential|auth)[^=]*=`)

// secrets are the values of variables that no answer may show.
func secrets(env []string) (all []string) {
	for _, line := range env {
		if _, value, _ := strings.Cut(line, "="); secretName().MatchString(line) && len(value) >= 12 && !strings.ContainsAny(value, "/ ") {
			all = append(all, value)
		}
	}
	return all
}

// shell is the part of a line for a shell that says how the server is reached. Values of headers are not shown.
func (f *flags) shell() string {
	if len(f.Command) > 0 {
		return "-- " + strings.Join(ir.Each(f.Command, text.ShellWord), " ")
	}
	out := text.ShellWord(f.URL)
	for _, line := range f.Headers {
		name, _, _ := strings.Cut(line, ":")
		out += " -H " + text.ShellWord(name+": ...")
	}
	return out
}

// reachFlags are the flags that decide about what is called and how the server is reached, apart from headers, which follow the URL.
var reachFlags = []string{"sandbox", "env", "allow-writes", "allow-destructive", "yes", "config", "seed", "profile", "formats", "include", "exclude", "host",
	"time", "calls", "timeout", "max-time", "rate", "jsonrpc", "era", "login", "client-id", "allow-parent-resource", "redirect-uri"}

// repeatLine is the beginning of a line that looks for a finding again, with the flags that were given and decide.
func (f *flags) repeatLine() string {
	line := "rpcgen verify"
	for _, name := range reachFlags {
		flag := f.command.Flags().Lookup(name)
		if !flag.Changed {
			continue
		}
		value := flag.Value.String()
		if name == "seed" {
			value = strconv.FormatUint(f.o.Seed, 10) // even if it is random
		}
		if flag.Value.Type() == "stringSlice" {
			value = value[1 : len(value)-1] // without brackets
		}
		switch {
		case flag.NoOptDefVal == "":
			line += " --" + name + " " + text.ShellWord(value)
		case flag.NoOptDefVal == value:
			line += " --" + name
		default:
			line += " " + text.ShellWord("--"+name+"="+value)
		}
	}
	if f.file != "" && len(f.o.Methods) == 0 {
		line += " " + text.ShellWord(f.file)
	}
	return line
}

// explainLack explains an error of a command in a sandbox by files that are here only.
func (f *flags) explainLack(err error) error {
	if f.sandbox == "" {
		return err
	}
	command, _ := absolute(f.Command)
	for _, word := range command[min(1, len(command)):] {
		_, here := os.Stat(word)
		_, there := os.Stat(filepath.Join(f.sandbox, word))
		if here == nil && there != nil && !filepath.IsAbs(word) {
			return fmt.Errorf("%w; --sandbox runs the command in a new folder, which lacks %s: write its absolute path, or --sandbox=DIR for the files of DIR", err, word)
		}
	}
	return err
}

// temporary makes a folder, by its absolute path without links. clean removes it, and does nothing when it is called again; so does the end of this
// process by a signal that it cannot handle, where [keep] can.
func temporary() (folder string, clean func(), err error) {
	if folder, err = os.MkdirTemp("", "rpcgen-verify-"); err != nil {
		return "", func() {}, err
	}
	done := func() {}
	clean = sync.OnceFunc(func() {
		if os.RemoveAll(folder) != nil { // folders that may not be written to, such as those of Go's modules
			_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					err = os.Chmod(path, 0o700)
				}
				return err
			})
			os.RemoveAll(folder)
		}
		done()
	})
	full, err := filepath.Abs(folder)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return "", clean, err
	}
	folder = full
	done = keep(folder)
	return folder, clean, nil
}

// copyFolder copies the files of a folder into another one, which may be below it: what is below without is left out.
func copyFolder(into, from, without string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	if from, err = filepath.Abs(from); err != nil {
		return err
	}
	if without, err = filepath.EvalSymlinks(without); err != nil {
		return err
	}
	files := os.DirFS(from)
	if below, err := filepath.Rel(from, without); err == nil && filepath.IsLocal(below) {
		files = withoutEntry{files.(fs.ReadLinkFS), filepath.ToSlash(below)}
	}
	return os.CopyFS(into, files)
}

// withoutEntry is a file system without one entry, as [os.CopyFS] sees it.
type withoutEntry struct {
	fs.ReadLinkFS
	name string
}

// ReadDir implements [fs.ReadDirFS].
func (h withoutEntry) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(h.ReadLinkFS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return path.Join(name, e.Name()) == h.name }), err
}
