package pointer

import "testing"

func TestPointer(t *testing.T) {
	for name, step := range map[string]string{"": "", "a": "a", "a/b": "a~1b", "~": "~0", "~1": "~01", "/~/": "~1~0~1"} {
		if got := Escape(name); got != step {
			t.Errorf("%q is %q, want %q", name, got, step)
		}
		if got := Unescape(step); got != name {
			t.Errorf("%q names %q, want %q", step, got, name)
		}
	}
}
