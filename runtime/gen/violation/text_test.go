package violation

import (
	"strings"
	"testing"
)

// FuzzText compares the texts that violations share memory for with those that are built one by one,
// and checks that a text stays as it was handed out.
func FuzzText(f *testing.F) {
	f.Add("fahrenhiet", "celsius\nfahrenheit\nkelvin", 3)
	f.Add("a \"quoted\"\\ text\x00\u2028", "one", 11)
	f.Add(strings.Repeat("long", 40), strings.Repeat("name\n", 30), 1)
	f.Fuzz(func(t *testing.T, s, names string, rounds int) {
		var vs List
		all := strings.Split(names, "\n")
		type text struct{ got, want string }
		var texts []text
		for i := range min(max(rounds, 1), 50) {
			n, unit := i-1, "element"
			want := count(n, unit)
			texts = append(texts,
				text{vs.Quoted("member ", s), "member " + Shorten(s)},
				text{vs.OneOf(names), OneOf(all)},
				text{vs.Text(s, "/", names), s + "/" + names},
				text{vs.Counted("at most ", n, unit), "at most " + want},
				text{ClosestOf(s, names), Closest(s, all)},
			)
		}
		for _, x := range texts {
			if x.got != x.want {
				t.Fatalf("got %q, want %q", x.got, x.want)
			}
		}
	})
}

// count returns n and the unit.
func count(n int, unit string) string {
	var vs List
	return vs.Counted("", n, unit)
}

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 elements", 1: "1 element", 12: "12 elements"} {
		if got := count(n, "element"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestScopes compares the pointers of nested scopes with those of one list per scope.
func TestScopes(t *testing.T) {
	var vs List
	vs.AddUnusable(Violation{Pointer: "/a/0"})
	outer := vs.Enter()
	for i := range 3 {
		element := vs.Enter()
		for range i {
			vs.Add(Violation{Pointer: "/x"})
		}
		vs.Add(Violation{})
		vs.LeaveElement(element, "", i)
	}
	if vs.Len() != 6 {
		t.Errorf("%d violations in the scope", vs.Len())
	}
	vs.Leave(outer, "/a")
	vs.Leave(vs.Enter(), "/b")
	dropped := vs.Enter()
	vs.Add(Violation{Pointer: "/never"})
	vs.Abandon(dropped)
	vs.Add(Violation{Pointer: "/c"})
	var got []string
	for _, v := range vs.All() {
		got = append(got, v.Pointer)
	}
	// Those of /a/0 are about a value that is unusable.
	const want = "/a/0 /a/1/x /a/1 /a/2/x /a/2/x /a/2 /c"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
	if size := vs.text; size != len(strings.ReplaceAll(want, " ", "")) {
		t.Errorf("%d bytes of text", size)
	}
	vs.Reuse()
	if vs.Len() != 0 || vs.Err() != nil || cap(vs.list) == 0 {
		t.Errorf("after Reuse: %+v", vs.All())
	}
}
