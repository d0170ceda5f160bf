package wire

import (
	"strconv"
	"unicode/utf8"
)

// SyntaxError means that a text is not JSON, and says where and why.
type SyntaxError struct {
	Offset int // in bytes
	What   string
}

func (e *SyntaxError) Error() string {
	return "not JSON: " + e.What + " at byte " + strconv.Itoa(e.Offset)
}

// DepthError means that a JSON text is nested too deep.
type DepthError struct {
	Offset int // in bytes, of the first bracket that is too deep
	Max    int
}

func (e *DepthError) Error() string {
	return "nested deeper than " + strconv.Itoa(e.Max) + " levels at byte " + strconv.Itoa(e.Offset)
}

// Check returns nil if b is one JSON value that is nested at most maxDepth levels deep, with only
// white space around it. The error is a [*SyntaxError] if b is not JSON, and a [*DepthError] if it
// is nested too deep.
func Check(b []byte, maxDepth int) error {
	if end := Skip(b, Space(b, 0), maxDepth); end >= 0 && Space(b, end) == len(b) {
		return nil
	}
	c := checker{b: b, max: maxDepth, deep: -1}
	if err := c.document(); err != nil {
		return err
	}
	return &DepthError{Offset: c.deep, Max: maxDepth}
}

// checker finds out what is wrong with a text that skip rejected. It is only used for invalid
// texts, so it need not be fast.
type checker struct {
	b    []byte
	i    int
	open []byte // the closing brackets that are expected
	max  int
	deep int // offset at which the nesting first became too deep; negative if it did not
}

func (c *checker) fail(at int, what string) error { return &SyntaxError{Offset: at, What: what} }

func (c *checker) document() error {
	for {
		if err := c.value(); err != nil {
			return err
		}
		done, err := c.after()
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	if c.i < len(c.b) {
		return c.fail(c.i, "something after the value")
	}
	return nil
}

// value reads up to the end of a scalar or of an empty object or array. It opens brackets and reads
// names on its way.
func (c *checker) value() error {
	for {
		c.i = Space(c.b, c.i)
		if c.i >= len(c.b) {
			return c.fail(c.i, "the text ends where a value is expected")
		}
		switch ch := c.b[c.i]; ch {
		case '{', '[':
			c.push(ch)
			if c.i = Space(c.b, c.i+1); c.i < len(c.b) && c.b[c.i] == ch+2 {
				return nil
			}
			if ch == '{' {
				if err := c.name(); err != nil {
					return err
				}
			}
		case '"':
			return c.text()
		default:
			return c.word()
		}
	}
}

func (c *checker) push(bracket byte) {
	c.open = append(c.open, bracket+2)
	if len(c.open) > min(c.max, MaxDepth) && c.deep < 0 {
		c.deep = c.i
	}
}

// after reads what follows a value. It reports done if the text ends there.
func (c *checker) after() (done bool, err error) {
	for {
		c.i = Space(c.b, c.i)
		if len(c.open) == 0 {
			return true, nil
		}
		closer := c.open[len(c.open)-1]
		if c.i >= len(c.b) {
			return false, c.fail(c.i, "the text ends before "+strconv.Quote(string(closer)))
		}
		switch c.b[c.i] {
		case closer:
			c.i++
			c.open = c.open[:len(c.open)-1]
		case ',':
			c.i++
			if closer == '}' {
				return false, c.name()
			}
			return false, nil
		default:
			return false, c.fail(c.i, "expected a comma or "+strconv.Quote(string(closer)))
		}
	}
}

// name reads the name of a member and the colon.
func (c *checker) name() error {
	c.i = Space(c.b, c.i)
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		return c.fail(c.i, "expected a member name in double quotes")
	}
	if err := c.text(); err != nil {
		return err
	}
	c.i = Space(c.b, c.i)
	if c.i >= len(c.b) || c.b[c.i] != ':' {
		return c.fail(c.i, "expected a colon")
	}
	c.i++
	return nil
}

func (c *checker) text() error {
	for i := c.i + 1; ; {
		i = plain(c.b, i)
		if i >= len(c.b) {
			return c.fail(c.i, "a string without end")
		}
		switch ch := c.b[i]; {
		case ch == '"':
			c.i = i + 1
			return nil
		case ch == '\\':
			next := skipEscape(c.b, i)
			if next < 0 {
				return c.fail(i, "a bad escape sequence or a lone surrogate")
			}
			i = next
		case ch < 0x20:
			return c.fail(i, "a control character in a string")
		default:
			_, n := utf8.DecodeRune(c.b[i:])
			if n == 1 {
				return c.fail(i, "invalid UTF-8")
			}
			i += n
		}
	}
}

func (c *checker) word() error {
	for _, word := range [...]string{"true", "false", "null"} {
		if Has(c.b, c.i, word) {
			c.i += len(word)
			return nil
		}
	}
	if ch := c.b[c.i]; ch != '-' && ch-'0' > 9 {
		return c.fail(c.i, "expected a value")
	}
	end := SkipNumber(c.b, c.i)
	if end < 0 {
		return c.fail(c.i, "a malformed number")
	}
	c.i = end
	return nil
}
