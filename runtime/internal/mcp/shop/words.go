package shop

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Configure returns the declarations and options for the words of a comment.
func Configure(words string) (*Shop, mcp.Options) {
	words, _, _ = strings.Cut(words, ":")
	s, o := &Shop{}, mcp.Options{Logger: Quiet, StateKeys: [][]byte{[]byte("a key of tests")}, MaxSubscriptions: 2}
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "modern":
			s.Change = func(i *mcp.Info) { i.Revisions = []string{mcp.Revision20260728} }
		case "handshake":
			s.Change = func(i *mcp.Info) { i.Revisions = []string{mcp.Revision20241105, mcp.Revision20250618} }
		case "bare":
			s.Change = func(i *mcp.Info) {
				*i = mcp.Info{Name: "bare", Version: "0"}
			}
		case "pages":
			o.PageSize = 2
		case "anonymous":
			o.Anonymous = true
		case "own":
			s.Own = OwnMethods{}
		}
	}
	return s, o
}
