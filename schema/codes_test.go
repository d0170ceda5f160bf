package schema_test

import (
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Every example of the code table gets its own code and no other.
func TestCodeExamples(t *testing.T) {
	for _, info := range diag.Codes() {
		t.Run(string(info.Code), func(t *testing.T) {
			if info.Title == "" || info.Explanation == "" || info.Example == "" {
				t.Fatal("the table leaves something out")
			}
			if info.Phase != "" {
				t.Skip("found by phase " + info.Phase)
			}
			archive := txtar.Parse([]byte(info.Example))
			files := map[string]string{"main.rpc.yaml": string(archive.Comment)}
			for _, f := range archive.Files {
				files[f.Name] = string(f.Data)
			}
			_, faults, _ := load(files, "main.rpc.yaml")
			var codes []diag.Code
			for _, d := range faults {
				codes = append(codes, d.Code)
			}
			if !slices.Equal(codes, []diag.Code{info.Code}) {
				t.Errorf("got %v", codes)
			}
		})
	}
}
