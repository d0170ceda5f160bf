// Package o200k compares the estimate of package budget with the vocabulary o200k. It is a module of its own, since a vocabulary has 12 MB.
package o200k

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/budget"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/hostcheck"
	"github.com/rpcgen-go/rpcgen/schema"
)

// mostPercent is how far the estimate of a list may be from the truth.
const mostPercent = 6

// TestEstimate compares the estimates of the lists of this repository's schemas, and of the files in the folder that LISTS names: answers of servers to
// tools/list, as rpcgen tools --json prints them. Lists of a few hundred tokens may be further off, for single words count in them.
func TestEstimate(t *testing.T) {
	const root = "../../../../../../"
	lists := map[string]hostcheck.List{}
	for _, name := range []string{"examples/shop/rpc/shop.rpc.yaml", "test/toolbox/toolbox.rpc.yaml", "test/conformance/conformance.rpc.yaml"} {
		loader := new(schema.Loader)
		doc, faults := loader.Load(root + name)
		if doc == nil {
			t.Fatal(faults)
		}
		list, err := hostcheck.Of(doc)
		if err != nil {
			t.Fatal(err)
		}
		lists[name] = list
	}
	if folder := os.Getenv("LISTS"); folder != "" {
		files, err := filepath.Glob(filepath.Join(folder, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if lists[filepath.Base(name)], err = hostcheck.Parse(text); err != nil {
				t.Fatal(name, err)
			}
		}
	}
	vocabulary, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range lists {
		truth := 0
		for _, tool := range list.Tools {
			n, err := vocabulary.Count(budget.ModelView(tool, false))
			if err != nil {
				t.Fatal(err)
			}
			truth += n
		}
		estimate := budget.New(list.Tools, "", false).All.Tokens
		percent := 100 * float64(estimate-truth) / float64(truth)
		t.Logf("%-40s %3d tools, %6d tokens, estimate %6d, %+.1f %%", name, len(list.Tools), truth, estimate, percent)
		if percent > mostPercent || percent < -mostPercent {
			t.Errorf("%s: the estimate is wrong by %.1f %%, and not by at most %d %%", name, percent, mostPercent)
		}
	}
}
