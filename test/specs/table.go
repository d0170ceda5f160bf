package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// page is where the table is, between the marks.
const (
	page  = "../../docs/import.md"
	begin = "<!-- specs: written by make specs WRITE=-write -->\n"
	end   = "<!-- end of specs -->\n"
)

// table prints what came of the specifications, and compares it with the page, apart from lines and seconds, or writes it there.
func table(rows []row, write bool) error {
	text := format(rows)
	fmt.Print(text)
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(old), begin)
	was, after, closed := strings.Cut(rest, end)
	switch {
	case !found || !closed:
		return fmt.Errorf("%s has no marks for the table", page)
	case write:
		return os.WriteFile(page, []byte(before+begin+text+end+after), 0o644)
	case counts(was) != counts(text):
		return errors.New("the table in docs/import.md is another one: run make specs WRITE=-write and look at the difference")
	}
	return nil
}

func format(rows []row) string {
	var b strings.Builder
	b.WriteString("| specification | types | methods | tools | errors | opaque | raw, checked | weakened | lines of Go | import | generate | build |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		n := r.report
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %.1fk | %s | %s | %s |\n", r.Title, n.Types, n.Methods+n.Notifications, n.Tools, n.Errors,
			n.Counts.Opaque, n.Counts.Checked, n.Counts.Weakened, float64(r.lines)/1000, seconds(r.imported), seconds(r.generated), seconds(r.built))
	}
	return b.String()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// counts are the columns that follow from the sources alone.
func counts(table string) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		columns := strings.Split(line, "|")
		b.WriteString(strings.Join(columns[:min(9, len(columns))], "|") + "\n")
	}
	return b.String()
}
