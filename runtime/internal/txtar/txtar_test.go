package txtar

import "testing"

func TestParse(t *testing.T) {
	const text = "words\n-- a --\none\n\n-- not a marker\n-- b c --\ntwo\n"
	a := Parse([]byte(text))
	if string(a.Comment) != "words\n" || len(a.Files) != 2 || a.Files[1].Name != "b c" || string(a.Files[0].Data) != "one\n\n-- not a marker\n" {
		t.Errorf("%q", a)
	}
}
