package txtar

import "testing"

func TestThereAndBack(t *testing.T) {
	const text = "words\n-- a --\none\n\n-- not a marker\n-- b c --\ntwo\n"
	a := Parse([]byte(text))
	if string(a.Comment) != "words\n" || len(a.Files) != 2 || a.Files[1].Name != "b c" || string(a.Files[0].Data) != "one\n\n-- not a marker\n" {
		t.Errorf("%q", a)
	}
	if got := string(Format(a)); got != text {
		t.Errorf("%q", got)
	}
	a.Files[1].Data = []byte("three")
	if got := Parse(Format(a)); string(got.Files[1].Data) != "three\n" {
		t.Errorf("%q", got)
	}
}
