package remote

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// forms asks the person at a terminal, one question after the other.
type forms struct {
	mu    sync.Mutex
	in    *bufio.Reader
	out   io.Writer
	clock *patience // stands still meanwhile
}

// turn waits until no other question is asked. The clock stands still until end is called.
func (f *forms) turn() (end func()) {
	f.mu.Lock()
	f.clock.asks(1)
	return func() {
		f.clock.asks(-1)
		f.mu.Unlock()
	}
}

// What is answered to a form without its fields.
const (
	declined  = `{"action":"decline"}`
	cancelled = `{"action":"cancel"}`
)

// elicit has a form filled in: one line per field, in their order. An empty line takes the default, or leaves out what may be left out; the end of
// the input cancels.
func (f *forms) elicit(ctx context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
	defer f.turn()()
	fmt.Fprintln(f.out, p.Message)
	form := schemaOf([]byte(mcpclient.QuestionFrom(ctx).Params.String())).in("requestedSchema")
	var content []byte
	for _, field := range form.fields() {
		text, err := f.field(field)
		if err != nil {
			return reply(cancelled)
		}
		if text != "" {
			content = append(append(wire.AppendString(append(content, ','), field.name), ':'), text...)
		}
	}
	return f.answer("Send this?", true, `{"action":"accept","content":`+string(wire.CloseObject(content, 0))+"}")
}

// answer returns what accepts if the person confirms it.
func (f *forms) answer(question string, fallback bool, accepts string) (mcp.ElicitResult, error) {
	yes, err := f.confirm(question, fallback)
	switch {
	case err != nil:
		return reply(cancelled)
	case !yes:
		return reply(declined)
	}
	return reply(accepts)
}

// reply is an answer, as JSON.
func reply(text string) (r mcp.ElicitResult, err error) {
	err = wire.UnmarshalCopy([]byte(text), &r)
	return r, err
}

// elicitURL shows a URL, and asks whether it was opened.
func (f *forms) elicitURL(_ context.Context, p mcp.ElicitRequestURLParams) (mcp.ElicitResult, error) {
	defer f.turn()()
	fmt.Fprintf(f.out, "%s\n%s\n", p.Message, text.Line(p.URL))
	return f.answer("Do you open it?", false, `{"action":"accept"}`)
}

// field asks for a field until there is an answer that fits, which is returned as JSON; nothing: it is left out.
func (f *forms) field(d field) (string, error) {
	fallback := d.schema.json("default")
	for {
		f.prompt(d, fallback)
		line, err := f.line()
		if err != nil {
			return "", err
		}
		if line == "" && fallback != "" {
			return fallback, nil
		}
		if line == "" && !d.required {
			return "", nil
		}
		if d.schema.has("boolean") {
			line = spelledBoolean(line)
		}
		answer, err := (&member{schema: d.schema}).read(line)
		if err == nil {
			return answer, nil
		}
		fmt.Fprintln(f.out, "  "+text.Line(err.Error()))
	}
}

// prompt asks for a field.
func (f *forms) prompt(d field, fallback string) {
	label := cmp.Or(d.schema.text("title"), d.name)
	line := label + " (" + strings.Replace(d.schema.word(), "boolean", "y or n", 1)
	if !d.required {
		line += ", may be empty"
	}
	line += ")"
	if said := purpose(d.schema); said != "" {
		line += " " + said
	}
	if fallback != "" {
		line += " [" + plain(fallback) + "]"
	}
	fmt.Fprint(f.out, text.Line(line)+": ")
}

// read returns a line as the JSON of the member: commas stand between the elements of a list.
func (m *member) read(line string) (string, error) {
	words := []string{line}
	if m.schema.has("array") {
		words = strings.Split(line, ",")
	}
	for _, word := range words {
		text, err := m.parse(strings.TrimSpace(word))
		if err != nil {
			return "", err
		}
		m.texts = append(m.texts, text)
	}
	return string(m.appendJSON(nil)), nil
}

// spelledBoolean returns the boolean that people write as yes or no.
func spelledBoolean(line string) string {
	switch strings.ToLower(line) {
	case "y", "yes", "true":
		return "true"
	case "n", "no", "false":
		return "false"
	}
	return line
}

// confirm asks for yes or no.
func (f *forms) confirm(question string, fallback bool) (bool, error) {
	options := " [y/N]: "
	if fallback {
		options = " [Y/n]: "
	}
	for {
		fmt.Fprint(f.out, question+options)
		line, err := f.line()
		if err != nil {
			return false, err
		}
		if line == "" {
			return fallback, nil
		}
		switch spelledBoolean(line) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
}

// line reads a line. The end of the input is an error, unless there is something before it.
func (f *forms) line() (string, error) {
	line, err := f.in.ReadString('\n')
	if err != nil && line == "" {
		fmt.Fprintln(f.out)
		return "", err
	}
	return strings.TrimSpace(line), nil
}
