package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// guest is a client that goes through plans.
type guest struct {
	name    string
	command []string // before the plan, the era and the target
	eras    []string
}

// host is a server that guests go to.
type host struct {
	name  string
	plan  string   // in clients/plans
	stdio []string // the command; nil: HTTP only
	http  []string // likewise, with {port}
	path  string   // of the URL; empty: /mcp
}

// visits has the clients of others visit rpcgen's servers, and rpcgen's client all servers.
func (b *bench) visits(ctx context.Context, t *table) error {
	if err := b.newShop(); err != nil {
		return err
	}
	all := []guest{
		{b.version("sdk"), []string{b.node(), "sdk.mjs"}, []string{"legacy"}},
		{b.version("client"), []string{b.node(), "client.mjs"}, []string{"legacy", "auto", "pin"}},
		{b.version("inspector"), []string{b.node(), "inspector.mjs"}, []string{"legacy", "auto", "modern"}},
		b.ours("handshake", "auto", "stateless"),
	}
	for _, h := range b.ourHosts() {
		if err := b.visitAll(ctx, t, all, h); err != nil {
			return err
		}
	}
	typescript, everything := b.theirHosts()
	replicas := host{"three replicas", "conformance", nil, b.clusterCommand(), ""}
	return errors.Join(
		b.visitAll(ctx, t, all, replicas),
		b.visitAll(ctx, t, []guest{b.ours("handshake", "auto", "stateless")}, typescript),
		b.visitAll(ctx, t, []guest{b.ours("handshake", "auto")}, everything), // it speaks no other era
		b.visitsBySSE(ctx, t, everything),
		b.visitsInBrowser(ctx, t),
	)
}

// visitsInBrowser are visits from a page of another origin in Chromium.
func (b *bench) visitsInBrowser(ctx context.Context, t *table) error {
	in := " in Chromium " + b.versions["@sparticuz/chromium"]
	conformance := b.ourHosts()[1]
	conformance.stdio = nil
	conformance.http = append(conformance.http, "-origin", "http://app.example.com") // that of browser.mjs
	return b.visitAll(ctx, t, []guest{
		{b.version("sdk") + in, []string{b.node(), "browser.mjs", "sdk"}, []string{"legacy"}},
		{b.version("client") + in, []string{b.node(), "browser.mjs", "client"}, []string{"legacy", "auto", "pin"}},
	}, conformance)
}

// visitsBySSE are visits over the transport HTTP+SSE of 2024-11-05.
func (b *bench) visitsBySSE(ctx context.Context, t *table, everything host) error {
	sdk := guest{b.version("sdk"), []string{b.node(), "sdk.mjs"}, []string{"sse"}}
	conformance := b.ourHosts()[1]
	conformance.stdio = nil
	everything.http = append(slices.Clone(everything.stdio), "sse")
	everything.stdio, everything.path = nil, "/sse"
	return errors.Join(
		b.visitAll(ctx, t, []guest{sdk, b.ours("sse")}, conformance),
		b.visitAll(ctx, t, []guest{b.ours("sse")}, everything),
	)
}

// ours is rpcgen's client.
func (b *bench) ours(eras ...string) guest {
	return guest{"rpcgen's client", []string{b.cache("visit")}, eras}
}

// ourHosts are rpcgen's servers.
func (b *bench) ourHosts() []host {
	http := []string{"-http", "127.0.0.1:{port}"}
	conformance := []string{b.cache("conformance")}
	shop := []string{b.cache("shop"), "-db", b.shopFile()}
	return []host{
		{"examples/shop", "shop", shop, slices.Concat(shop, http), ""},
		{"test/conformance", "conformance", conformance, slices.Concat(conformance, http), ""},
	}
}

// theirHosts are the servers of others.
func (b *bench) theirHosts() (typescript, everything host) {
	server := []string{b.node(), "server.mjs"}
	launcher := []string{b.node(), b.cache("node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")}
	typescript = host{b.version("server"), "typescript", server, append(slices.Clone(server), "{port}"), ""}
	everything = host{b.version("server-everything"), "everything", launcher, append(slices.Clone(launcher), "streamableHttp"), ""}
	return typescript, everything
}

// shopFile is the database of the shop.
func (b *bench) shopFile() string { return b.cache("shop.db") }

// newShop has the shop begin anew.
func (b *bench) newShop() error {
	files, err := filepath.Glob(b.shopFile() + "*")
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// visitAll has guests visit a host over both transports.
func (b *bench) visitAll(ctx context.Context, t *table, guests []guest, h host) error {
	s, err := b.serve(ctx, h.http...)
	if err != nil {
		return err
	}
	defer s.stop()
	for _, g := range guests {
		for _, era := range g.eras {
			stdio := "-"
			if h.stdio != nil {
				stdio = b.visit(ctx, t, g, era, h, h.stdio...)
			}
			t.visits = append(t.visits, []string{g.name, era, h.name, stdio, b.visit(ctx, t, g, era, h, s.at(h.path))})
		}
	}
	return nil
}

// visit has a guest go through the plan of a host, and says how that went.
func (b *bench) visit(ctx context.Context, t *table, g guest, era string, h host, target ...string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	out, err := b.command(ctx, "", slices.Concat(g.command, []string{b.cache("plans", h.plan+".json"), era}, target)...).CombinedOutput()
	if err == nil {
		return "ok"
	}
	return t.fault("%s, %s, at %s: %v\n%s", g.name, era, strings.Join(target, " "), err, strings.TrimSpace(string(out)))
}
