package violation

import "testing"

func TestEscape(t *testing.T) {
	for name, step := range map[string]string{"": "", "a": "a", "a/b": "a~1b", "~": "~0", "~1": "~01", "/~/": "~1~0~1"} {
		if got := Escape(name); got != step {
			t.Errorf("%q is %q, want %q", name, got, step)
		}
	}
}
