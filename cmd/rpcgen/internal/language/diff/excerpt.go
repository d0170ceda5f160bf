package diff

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// most is how many lines of a schema an excerpt shows.
const most = 14

// piece is a run of text in an excerpt, marked when the other side does not have it.
type piece struct {
	Text   string
	Marked bool
}

// line is a line of a schema.
type line struct {
	Number int
	Pieces []piece
}

// excerpts shows a change in both texts: the lines that declare the part, with the words marked that differ.
func (v View) excerpts(c *Change) (old, new []line) {
	before, after := v.Old.block(c.Old), v.New.block(c.New)
	if len(before) > 0 && len(after) > 0 {
		before, after = focus(before, after), focus(after, before)
	}
	was, is := words(before), words(after)
	keepOld, keepNew := common(was, is)
	return lines(before, was, keepOld, len(after) == 0), lines(after, is, keepNew, len(before) == 0)
}

// row is a line of a file.
type row struct {
	number int
	text   string
}

// block is the line at pos and those below it that are indented more.
func (s Side) block(pos diag.Pos) []row {
	if !pos.Valid() || s.Source == nil {
		return nil
	}
	text, ok := s.Source(pos.File)
	if !ok {
		return nil
	}
	all := strings.Split(string(text), "\n")
	if pos.Line > len(all) {
		return nil
	}
	first := strings.TrimRight(all[pos.Line-1], "\r")
	rows := []row{{pos.Line, first}}
	for i := pos.Line; i < len(all); i++ {
		text := strings.TrimRight(all[i], "\r")
		if strings.TrimSpace(text) != "" && depth(text) <= depth(first) {
			break
		}
		rows = append(rows, row{i + 1, text})
	}
	for len(rows) > 1 && strings.TrimSpace(rows[len(rows)-1].text) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

func depth(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }

// focus shortens a long block: its first line, and what is around the lines that the other side does not have.
func focus(rows, others []row) []row {
	if len(rows) <= most {
		return rows
	}
	theirs := ir.Set(others, func(o row) string { return o.text })
	kept := []row{rows[0]}
	for i := 1; i < len(rows) && len(kept) < most; i++ {
		near := false
		for j := max(1, i-1); j <= min(len(rows)-1, i+1); j++ {
			near = near || !theirs[rows[j].text]
		}
		if near {
			kept = append(kept, rows[i])
		}
	}
	return kept
}

var wordLike = text.Pattern(`[\pL\pN_]+|\s+|.`)

// words splits rows into words, with a break between lines.
func words(rows []row) []string {
	var all []string
	for i, r := range rows {
		if i > 0 {
			all = append(all, "\n")
		}
		all = append(all, wordLike().FindAllString(r.text, -1)...)
	}
	return all
}

// common returns which words of either side belong to a longest common run (Hunt and McIlroy's table: excerpts are short).
func common(a, b []string) (inA, inB []bool) {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			inA[i], inB[j] = true, true
			i, j = i+1, j+1
		case table[i+1][j] >= table[i][j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB
}

// lines puts words together again. Of an excerpt that stands alone nothing is marked: all of it is new, or gone.
func lines(rows []row, all []string, kept []bool, alone bool) []line {
	if len(rows) > most {
		rows = rows[:most]
	}
	shift := indentOf(rows)
	var out []line
	at := 0
	for _, r := range rows {
		l := line{Number: r.number}
		for ; at < len(all) && all[at] != "\n"; at++ {
			l.add(all[at], !kept[at] && !alone)
		}
		at++
		l.dedent(shift)
		out = append(out, l)
	}
	return out
}

// indentOf is the indentation that all rows share.
func indentOf(rows []row) int {
	if len(rows) == 0 {
		return 0
	}
	return depth(slices.MinFunc(rows, func(a, b row) int {
		if strings.TrimSpace(a.text) == "" {
			return 1
		}
		return depth(a.text) - depth(b.text)
	}).text)
}

func (l *line) add(word string, marked bool) {
	if n := len(l.Pieces); n > 0 && l.Pieces[n-1].Marked == marked {
		l.Pieces[n-1].Text += word
		return
	}
	l.Pieces = append(l.Pieces, piece{word, marked})
}

func (l *line) dedent(n int) {
	if len(l.Pieces) > 0 {
		first := &l.Pieces[0]
		first.Text = first.Text[min(n, depth(first.Text)):]
	}
}
