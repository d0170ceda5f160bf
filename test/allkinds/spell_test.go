package allkinds_test

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// A speller writes values as JSON in one of the many ways in which JSON can be written.
type speller struct {
	t   *rapid.T
	out strings.Builder
}

// spell writes v: members in any order, white space anywhere, any escapes, numbers in any form.
func spell(t *rapid.T, v ir.Value) []byte {
	s := speller{t: t}
	s.space()
	s.value(v)
	s.space()
	return []byte(s.out.String())
}

func (s *speller) pick(n int) int { return below(n).Draw(s.t, "spelling") }

func (s *speller) space() {
	if s.pick(6) == 5 {
		s.out.WriteString([]string{" ", "\n", "\t \r\n", "   "}[s.pick(4)])
	}
}

func (s *speller) value(v ir.Value) {
	switch v.Kind {
	case ir.Text:
		s.text(v.Text)
	case ir.Array:
		s.out.WriteByte('[')
		for i, item := range v.Items {
			s.comma(i)
			s.value(item)
			s.space()
		}
		s.space()
		s.out.WriteByte(']')
	case ir.Object:
		s.object(v)
	case ir.Integer:
		s.integer(v.Text)
	default:
		s.out.WriteString(v.Text)
	}
}

func (s *speller) comma(i int) {
	if i > 0 {
		s.out.WriteByte(',')
	}
	s.space()
}

func (s *speller) object(v ir.Value) {
	members := v.Fields
	if s.pick(2) == 1 {
		members = rapid.Permutation(v.Fields).Draw(s.t, "order")
	}
	s.out.WriteByte('{')
	for i, m := range members {
		s.comma(i)
		s.text(m.Name)
		s.space()
		s.out.WriteByte(':')
		s.space()
		s.value(m.Value)
		s.space()
	}
	s.space()
	s.out.WriteByte('}')
}

// integer writes 100 as 100, 100.0, 100e0, 1000E-1 or 10.0e1.
func (s *speller) integer(text string) {
	if strings.ContainsAny(text, ".eE") || s.pick(3) < 2 {
		s.out.WriteString(text)
		return
	}
	last := len(text) - 1
	forms := []string{text + ".0", text + "e0", text + "E+00", text + ".000e0"}
	if strings.TrimPrefix(text, "-") != "0" {
		forms = append(forms, text+"0e-1")
	}
	if strings.TrimLeft(text, "-0123456789") == "" && last > 0 && text[last-1] != '-' {
		forms = append(forms, text[:last]+"."+text[last:]+"e1")
	}
	s.out.WriteString(forms[s.pick(len(forms))])
}

func (s *speller) text(text string) {
	wild := s.pick(4) == 3
	s.out.WriteByte('"')
	for _, c := range text {
		short, hasShort := shorts[c]
		switch {
		case hasShort && (!wild || s.pick(2) == 0) && c != '/':
			s.out.WriteString(short)
		case c < ' ' || c == '"' || c == '\\' || wild && s.pick(3) == 0:
			s.escape(c)
		default:
			s.out.WriteRune(c)
		}
	}
	s.out.WriteByte('"')
}

var shorts = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '/': `\/`}

func (s *speller) escape(c rune) {
	form := []string{`\u%04x`, `\u%04X`}[s.pick(2)]
	if high, low := utf16.EncodeRune(c); high != '\ufffd' {
		fmt.Fprintf(&s.out, form, high)
		c = low
	}
	fmt.Fprintf(&s.out, form, c)
}
