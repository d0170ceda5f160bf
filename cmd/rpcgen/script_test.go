package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rpcgen": main, "toolbox": serveToolbox})
}

// TestScripts runs the command as its users do.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	url := toolboxOverHTTP(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("RPCGEN", root)
			env.Setenv("TOOLBOX", url)
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "HOME"} {
				if v := os.Getenv(name); v != "" {
					env.Setenv(name, v)
				}
			}
			if os.Getenv("GOCACHE") == "" {
				cache, err := os.UserCacheDir()
				if err != nil {
					return err
				}
				env.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
			}
			return nil
		},
	})
}
