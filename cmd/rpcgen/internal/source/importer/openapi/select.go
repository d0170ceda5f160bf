package openapi

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// choose returns the operations that are taken, and how many are not since they are deprecated.
func choose(d *description, all []*operation, o Options, before *Before) (taken []*operation, deprecated int, err error) {
	take, fault := patternsOf(d, all, o.Take)
	leave, other := patternsOf(d, all, o.Leave)
	if fault = append(fault, other...); len(fault) > 0 {
		return nil, 0, fault
	}
	marked := slices.ContainsFunc(all, func(op *operation) bool { return op.mark == "take" })
	unsent := 0 // they are left out, with the reason, and do not count
	asked := len(take) > 0 || marked || o.All
	for _, op := range all {
		named := slices.ContainsFunc(take, func(p pattern) bool { return p.names(op) })
		is := named || before.has(op)
		switch {
		case slices.ContainsFunc(leave, func(p pattern) bool { return p.fits(op) }), op.mark == "leave", o.ReadOnly && !reads(op) && !is:
			continue
		case is, op.mark == "take":
		case !slices.ContainsFunc(take, func(p pattern) bool { return p.fits(op) }) && (len(take) > 0 || marked || before != nil && !o.All):
			continue
		case op.IsTrue("deprecated"):
			deprecated++
			continue
		}
		if taken = append(taken, op); !op.sent() {
			unsent++
		}
	}
	if most := max(o.Most, before.size()); len(taken)-unsent > most && !o.All {
		return nil, 0, tooMany(d, all, taken, asked, most)
	}
	if len(taken) > grammar.MostDeclared {
		return nil, 0, source.Faults{{Pos: d.root.Pos, Message: fmt.Sprintf("%d operations are taken, and a schema has at most %d tools", len(taken),
			grammar.MostDeclared), Help: "import it in parts, with --take"}}
	}
	if len(taken) == 0 {
		why := "no operation is taken"
		switch {
		case deprecated > 0:
			why += ": deprecated ones (" + escape.Thousands(deprecated) + ") are taken by name alone"
		case before != nil:
			why += ": the description has none of those of " + before.file
		}
		return nil, 0, source.Faults{{Pos: d.root.Pos, Message: why, Help: patternHelp}}
	}
	return taken, deprecated, nil
}

// tooMany says how to choose.
func tooMany(d *description, all, taken []*operation, asked bool, most int) error {
	of := fmt.Sprintf("%d operations are too many for one server", len(taken))
	if asked {
		of = fmt.Sprintf("the patterns take %d operations, which are too many for one server", len(taken))
	}
	counts := map[string]int{}
	var tags []string
	reading := 0
	for _, op := range all {
		if reads(op) {
			reading++
		}
		for _, tag := range op.tags {
			if counts[tag]++; counts[tag] == 1 {
				tags = append(tags, tag)
			}
		}
	}
	sort.SliceStable(tags, func(i, j int) bool { return counts[tags[i]] > counts[tags[j]] })
	some := ir.Each(tags[:min(len(tags), 4)], func(tag string) string { return fmt.Sprintf("--take %s (%d)", shellQuoted("tag:"+tag), counts[tag]) })
	if more := len(tags) - len(some); more > 0 {
		some = append(some, fmt.Sprintf("other tags (%d)", more))
	}
	some = append(some, "--take "+shellQuoted(taken[0].label())+" by operationId, with *", "--take "+shellQuoted(taken[0].line())+" by path, with * and **",
		fmt.Sprintf("--read-only (%d)", reading), "--all")
	return source.Faults{{Pos: d.root.Pos, Message: fmt.Sprintf("%s: models choose worse, and hosts cut lists of tools; at most %d are taken", of, most),
		Help: "take some: " + strings.Join(some, ", ")}}
}

func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// pattern names operations: by id, by tag, or by method and path.
type pattern struct {
	tag, id, method string
	path            []string
}

const patternHelp = "--take and --leave name operations by operationId, by tag:NAME, or by METHOD PATH"

// patternsOf reads patterns. One that fits no operation is a fault.
func patternsOf(d *description, all []*operation, texts []string) (list []pattern, faults source.Faults) {
	for _, text := range texts {
		p := patternOf(text)
		if !slices.ContainsFunc(all, p.fits) {
			names := namesOf(all)
			near := diag.Closest(text, names)
			if len(near) == 0 {
				near = names[:min(len(names), 5)]
			}
			help := "it has " + strings.Join(near, ", ") + "; " + patternHelp
			faults = append(faults, &source.Fault{Pos: d.root.Pos, Message: source.Quote(text) + " names no operation of the description", Help: help})
			continue
		}
		list = append(list, p)
	}
	return list, faults
}

// namesOf are the names by which operations can be taken.
func namesOf(all []*operation) []string {
	var names []string
	for _, op := range all {
		names = append(names, op.label())
		for _, tag := range op.tags {
			if name := "tag:" + tag; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func patternOf(text string) pattern {
	if tag, ok := strings.CutPrefix(text, "tag:"); ok {
		return pattern{tag: tag}
	}
	if method, at, ok := strings.Cut(text, " "); ok && strings.HasPrefix(at, "/") {
		return pattern{method: strings.ToLower(method), path: strings.Split(at, "/")}
	}
	return pattern{id: text}
}

// fits reports whether a pattern fits an operation.
func (p pattern) fits(op *operation) bool {
	switch {
	case p.tag != "":
		return slices.ContainsFunc(op.tags, func(tag string) bool { return fitsGlob(p.tag, tag) })
	case p.path != nil:
		return (p.method == "*" || p.method == op.method) && fitsPath(p.path, strings.Split(op.path, "/"))
	}
	return op.id != "" && fitsGlob(p.id, op.id)
}

// names reports whether a pattern names this operation and no other, so that a deprecated one is taken.
func (p pattern) names(op *operation) bool {
	return p.id != "" && p.id == op.id || p.path != nil && p.method == op.method && strings.Join(p.path, "/") == op.path
}

// fitsGlob reports whether a text fits a pattern in which * stands for any text.
func fitsGlob(glob, text string) bool {
	parts := strings.Split(glob, "*")
	if len(parts) == 1 {
		return glob == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// fitsPath reports whether the segments of a path fit those of a pattern, of which ** stands for any number.
func fitsPath(glob, segments []string) bool {
	at := map[[2]int]bool{} // what does not fit
	var fits func(i, j int) bool
	fits = func(i, j int) bool {
		if i == len(glob) {
			return j == len(segments)
		}
		if at[[2]int{i, j}] {
			return false
		}
		ok := false
		if glob[i] == "**" {
			ok = fits(i+1, j) || j < len(segments) && fits(i, j+1)
		} else if j < len(segments) {
			one, err := path.Match(strings.NewReplacer("[", `\[`, "?", `\?`).Replace(glob[i]), segments[j])
			ok = err == nil && one && fits(i+1, j+1)
		}
		at[[2]int{i, j}] = !ok
		return ok
	}
	return fits(0, 0)
}

// writeVerbs are verbs of names that say that an operation changes something, though it is a GET.
var writeVerbs = []string{"create", "update", "delete", "remove", "set", "add", "put", "post", "reset", "revoke", "cancel", "send", "start", "stop",
	"enable", "disable", "trigger", "execute", "run"}

// reads reports whether an operation only reads: a GET or HEAD whose name does not begin with a verb that writes, or a method of protobuf that says so.
func reads(op *operation) bool {
	if op.says(Reads) == "true" {
		return true
	}
	if op.method != "get" && op.method != "head" {
		return false
	}
	words := wordsOf(op.id)
	return !slices.ContainsFunc(words[:min(len(words), 2)], func(w string) bool {
		return slices.Contains(writeVerbs, w) && (w != words[len(words)-1] || len(words) == 1)
	})
}
