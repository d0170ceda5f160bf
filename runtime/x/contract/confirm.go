package contract

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// quotedWords are what a refusal quotes.
var quotedWords = text.Pattern("[\"'`]([A-Za-z0-9_./-]{1,40})[\"'`]")

// suspect is a fault that was seen once, until it is confirmed or not.
type suspect struct {
	fault
	tool *tool
	args string
	hint values.Break

	calls []call   // that show it together in a new instance; nil if args does by itself
	sent  []string // messages that show it, if it is not calls that do

	// again reports whether it shows again, in an instance of its own. Nil for faults of single answers, which are confirmed together.
	again func(ctx context.Context) bool

	listed bool // it stands in what the server lists
	done   bool
	seen   int
}

// shownBy says of a suspect, which may be nil, which calls show it, and how it is looked for.
func (s *suspect) shownBy(calls []call, again func(context.Context) bool) {
	if s != nil {
		s.calls, s.again = calls, again
	}
}

// handover is what the background has called where the checks run, since nothing else of the finder may be written from there.
type handover struct {
	mu  sync.Mutex
	all []func()
}

func (h *handover) add(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, f)
}

// call calls what was handed over.
func (h *handover) call() {
	h.mu.Lock()
	all := h.all
	h.all = nil
	h.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// reduce returns fewer calls that show a fault still; nil if not even all do. It tries a few times only.
func reduce(all []call, shows func([]call) bool) []call {
	budget := 24
	deadline := time.Now().Add(10 * time.Second)
	for _, n := range []int{1, 5, 20, 100, len(all)} {
		n = min(n, len(all))
		if budget--; shows(all[len(all)-n:]) {
			all = all[len(all)-n:]
			break
		}
		if n == len(all) {
			return nil
		}
	}
	for size := len(all) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(all) && budget > 0 && time.Now().Before(deadline); {
			less := slices.Concat(all[:at], all[at+size:])
			if budget--; len(less) > 0 && shows(less) {
				all = less
			} else {
				at += size
			}
		}
	}
	return all
}

// smallest makes a value smaller as long as it holds.
func smallest(v *jsontree.Value, holds func(less *jsontree.Value) bool) *jsontree.Value {
	for from, rounds := 0, 0; rounds < 1000; rounds++ { // what did not hold before is tried last
		all := smaller(v)
		n := len(all)
		i := 0
		for i < n && !holds(all[(from+i)%n]) {
			i++
		}
		if i == n {
			break
		}
		from = (from + i) % n
		v = all[from]
	}
	return v
}

// smaller are values that are a step smaller, the largest steps first.
func smaller(v *jsontree.Value) (all []*jsontree.Value) {
	v.Walk(nil, func(path []jsontree.Step, _ *jsontree.Value) bool {
		if len(path) > 0 {
			all = append(all, v.Put(path, nil))
		}
		return true
	})
	v.Walk(nil, func(path []jsontree.Step, part *jsontree.Value) bool {
		put := func(less *jsontree.Value) {
			if !less.Equal(part) {
				all = append(all, v.Put(path, less))
			}
		}
		switch part.Kind {
		case jsontree.Text:
			letters := []rune(part.Text)
			if strings.HasPrefix(part.Text, "/") { // a part of a path may lie outside a sandbox
				letters = nil
			}
			for _, n := range []int{0, 1, len(letters) / 2, len(letters) - 1} {
				if n >= 0 && n < len(letters) {
					put(jsontree.NewText(string(letters[:n])))
				}
			}
		case jsontree.Integer, jsontree.Number:
			for _, less := range []string{"0", "1"} {
				if len(less) < len(part.Text) {
					put(jsontree.NewNumber(less))
				}
			}
		case jsontree.Array:
			if n := len(part.Items); n > 2 {
				put(&jsontree.Value{Kind: jsontree.Array, Items: part.Items[:n/2]})
			}
		}
		return true
	})
	return all
}

// idOf is the id of a finding, given its check, keyword, tool and pointer.
func idOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:3])
}

// group makes rows of the findings: at three tools with one fault they become one.
func group(r rig) {
	rows, seen := map[string][]Finding{}, map[string]bool{}
	var keys []string
	for _, s := range r.order {
		if !s.done {
			continue
		}
		f := r.reportOf(s)
		if s.seen < 2 {
			r.report.Unseen = append(r.report.Unseen, f)
			continue
		}
		same := f.ID // two calls may have been suspected of what a third one does
		if f.Check == "RefusesValid" && f.Severity != Note {
			same = strings.Join(f.Tools, " ") + f.Arguments // one call, which is at the bounds of several rules
		}
		if seen[same] {
			continue
		}
		seen[same] = true
		key := strings.Join([]string{f.Check, f.Keyword, string(f.Severity)}, "\x00")
		if f.onceAServer() {
			key = f.Check + string(f.Severity)
			if f.Check == "ErrorCode" || f.Check == "ListLimit" || f.Check == "AcceptsInvalid" {
				key += f.Keyword
			}
		}
		if f.Check == "Malformed" {
			key = f.Check + string(f.Severity)
		}
		if rows[key] == nil {
			keys = append(keys, key)
		}
		rows[key] = append(rows[key], f)
	}
	for _, key := range keys {
		r.report.Findings = append(r.report.Findings, mergeFindings(rows[key])...)
	}
	slices.SortStableFunc(r.report.Findings, func(a, b Finding) int {
		return cmp.Or(b.Severity.Rank()-a.Severity.Rank(), strings.Compare(a.Check, b.Check), strings.Compare(a.Keyword, b.Keyword),
			strings.Compare(strings.Join(a.Tools, " "), strings.Join(b.Tools, " ")), strings.Compare(a.Pointer, b.Pointer))
	})
}

// mergeFindings makes one finding of those of one tool, and of those of three tools or more.
func mergeFindings(all []Finding) []Finding {
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(len(a.Arguments), len(b.Arguments)) })
	tools := map[string]int{}
	for _, f := range all {
		for _, t := range f.Tools {
			tools[t]++
		}
	}
	f := all[0]
	var keywords, places []string // of the others
	for _, other := range all[1:] {
		keywords, places = append(keywords, other.Keyword), append(places, cmp.Or(other.Pointer, "the root"))
	}
	if f.Check == "Malformed" && len(all) > 2 {
		f.Message += "; the same after " + strings.Join(keywords, ", ")
		return []Finding{f}
	}
	if len(all) < 3 && !f.onceAServer() || len(tools) == 0 {
		return all
	}
	if len(tools) == 1 && len(all) > 1 {
		f.Message += "; the same at " + strings.Join(slices.Compact(places), ", ")
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(tools)), func(t string) bool { return t == f.Tools[0] })
	f.Tools = append(f.Tools, others...)
	return []Finding{f}
}

// onceAServer reports whether the finding is one row of a server, whatever the number of tools: it is one setting or habit of its author.
func (f *Finding) onceAServer() bool {
	switch f.Check {
	case "DropsUnknown", "Garbage", "Unhelpful", "ErrorCode":
		return true
	}
	return f.Severity == Note && f.Check != "Schema" && len(f.Tools) > 0
}
