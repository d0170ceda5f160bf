package mock

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
)

// handler returns what serves the messages of a connection.
func (m *mocker) handler() runtime.Handler {
	if m.srv != nil {
		return m.srv
	}
	return methods{m}
}

// overHTTP returns what serves HTTP.
func (m *mocker) overHTTP() http.Handler {
	if m.srv != nil {
		return mcphttp.NewHandler(m.srv, mcphttp.Options{})
	}
	h := rpchttp.NewHandler(methods{m}, rpchttp.Options{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, err := parseAsked(r.Header.Get(askedHeader))
		if err != nil {
			http.Error(w, askedHeader+": "+err.Error(), http.StatusBadRequest)
			return
		}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), askedKey{}, a)))
	})
}

// checkFail returns an error if nothing can fail as asked for.
func (s *service) checkFail(f fail) error {
	var names, known []string
	for _, o := range slices.Concat(s.tools, s.methods, s.resources, s.templates, s.prompts) {
		names = append(names, o.name)
		if f.operation != "" && f.operation != o.name {
			continue
		}
		if o.mayFail(f.name) {
			return nil
		}
		for _, e := range o.errors {
			known = append(known, e.Name)
		}
	}
	switch {
	case f.operation != "" && !slices.Contains(names, f.operation):
		if near := violation.Closest(f.operation, names); near != "" {
			return fmt.Errorf("--fail: there is no %s; did you mean %s?", f.operation, near)
		}
		return fmt.Errorf("--fail: there is no %s, but %s", f.operation, violation.OneOf(names))
	case violation.Closest(f.name, known) != "":
		return fmt.Errorf("--fail: there is no error %s; did you mean %s?", f.name, violation.Closest(f.name, known))
	}
	slices.Sort(known)
	return fmt.Errorf("--fail: there is no error %s, but %s, and every code", f.name, violation.OneOf(append(slices.Compact(known), failedName)))
}

// resets restores the collections of the start at each signal, until ctx ends.
func (m *mocker) resets(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			m.reset()
		}
	}
}

// polling is how often the schema is looked at.
const polling = 300 * time.Millisecond

// follow reads the schema again when its file changes, until ctx ends. The argument last is the stamp of the file before it was read. A schema with faults is not served.
func (m *mocker) follow(ctx context.Context, file, last string, read func() (*service, error)) {
	ticker := time.NewTicker(polling)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := stamp(file)
		if now == last || now == "" {
			continue
		}
		last = now
		s, err := read()
		if err == nil && s.mcp != m.service.mcp {
			err = errors.New("it is now a service of another protocol: start the mock again")
		}
		if err == nil {
			err = m.replace(s)
		}
		if err != nil {
			fmt.Fprintf(m.log, "rpcgen mock: %s is not served, the schema before it is: %v\n", file, err)
			continue
		}
		fmt.Fprintf(m.log, "rpcgen mock: %s is served as it is now\n", file)
	}
}

// stamp returns a text that changes with a file; it is empty if there is none.
func stamp(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size())
}
