package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// TestCluster starts the cluster, and puts it under load for a while.
func TestCluster(t *testing.T) {
	length := 20 * time.Second
	if testing.Short() {
		length = 8 * time.Second
	}
	if err := prove(t.Context(), "", length, 1, 20); err != nil {
		t.Error(err)
	}
}

// documents reads the documents of a file of YAML.
func documents(t *testing.T, file string) (all []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var one map[string]any
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}

// at returns the value at a path of keys and indexes, or fails the test.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for i, step := range path {
		ok := false
		switch step := step.(type) {
		case string:
			v, ok = lookUp(v, step)
		case int:
			var list []any
			if list, ok = v.([]any); ok && step < len(list) {
				v = list[step]
			}
		}
		if !ok {
			t.Fatalf("there is no %v", path[:i+1])
		}
	}
	return v
}

func lookUp(v any, key string) (any, bool) {
	m, _ := v.(map[string]any)
	v, ok := m[key]
	return v, ok
}

// TestManifests: the manifests say what the replicas understand: their flags, their checks, and the key that they share.
func TestManifests(t *testing.T) {
	all := documents(t, "deploy/kubernetes.yaml")
	if len(all) != 2 || at(t, all[0], "kind") != "Deployment" || at(t, all[1], "kind") != "Service" {
		t.Fatal(all)
	}
	pod := []any{"spec", "template", "spec", "containers", 0}
	within := func(path ...any) any { return at(t, all[0], append(slices.Clone(pod), path...)...) }
	if within("livenessProbe", "httpGet", "path") != "/livez" || within("readinessProbe", "httpGet", "path") != "/readyz" || within("env", 0, "name") != "STATE_KEY" ||
		within("env", 1, "name") != "SEAL_KEYS" {
		t.Error("the container has other checks, or no key")
	}
	args := []any{"-nats", "nats://nats:4222", "-http", ":8080"}
	compose := documents(t, "deploy/compose.yaml")[0]
	for name, got := range map[string]any{"kubernetes.yaml": within("args"), "compose.yaml": at(t, compose, "services", "replica", "command")} {
		if list, _ := got.([]any); !slices.Equal(list, args) {
			t.Errorf("%s: the arguments are %v", name, got)
		}
	}
	if at(t, compose, "services", "replica", "deploy", "replicas") != 3 || at(t, all[0], "spec", "replicas") != 3 {
		t.Error("there are not three replicas")
	}
	at(t, compose, "services", "replica", "environment", "STATE_KEY")
	at(t, compose, "services", "replica", "environment", "SEAL_KEYS")
}
