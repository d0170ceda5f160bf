package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// deepest is how far a JSON text may be nested.
const deepest = 1000

// Parse reads one JSON text strictly: valid UTF-8, no duplicate members, nothing after it. The order of members and the text of
// numbers are kept. Of a text that is JSON and breaks only the first two, or has half of a surrogate pair, the error comes with a value.
func Parse(text []byte) (*Value, error) {
	if !json.Valid(text) {
		err := json.Unmarshal(text, new(json.RawMessage))
		if at, ok := errors.AsType[*json.SyntaxError](err); ok && at.Offset < int64(len(text)) {
			err = fmt.Errorf("%w (at byte %d)", err, at.Offset)
		}
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	p := parser{Decoder: json.NewDecoder(bytes.NewReader(text))}
	p.UseNumber()
	if !utf8.Valid(text) {
		p.loose = errors.New("not valid UTF-8")
	} else if halfSurrogate(text) {
		p.loose = errors.New("half of a surrogate pair")
	}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	return &v, p.loose
}

// parser reads a text that is JSON.
type parser struct {
	*json.Decoder
	loose error // what strict readers refuse
}

// halfSurrogate finds an escape that is not a character by itself, which the standard library would replace. The text is
// valid JSON, so a backslash begins an escape.
func halfSurrogate(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if text[i] != 'u' {
			continue
		}
		first := hexEscape(text[i+1:])
		i += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		if !bytes.HasPrefix(text[i+1:], []byte(`\u`)) || utf16.DecodeRune(first, hexEscape(text[i+3:])) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

// hexEscape reads the four hex digits of an escape.
func hexEscape(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 32)
	return rune(n)
}

func (p *parser) value(depth int) (Value, error) {
	if depth > deepest {
		return Value{}, errors.New("nested too deeply")
	}
	token, err := p.Token()
	if err != nil {
		return Value{}, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			return p.array(depth)
		}
		return p.object(depth)
	case string:
		return Value{Kind: Text, Text: token}, nil
	case json.Number:
		return *NewNumber(token.String()), nil
	case bool:
		return Value{Kind: Boolean, Text: fmt.Sprint(token)}, nil
	}
	return Value{Kind: Null, Text: "null"}, nil
}

func (p *parser) array(depth int) (Value, error) {
	v := Value{Kind: Array}
	for p.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := p.Token()
	return v, err
}

func (p *parser) object(depth int) (Value, error) {
	v := Value{Kind: Object}
	seen := map[string]int{}
	for p.More() {
		key, err := p.Token()
		if err != nil {
			return Value{}, err
		}
		name, _ := key.(string)
		member, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		if i, twice := seen[name]; twice {
			v.Fields[i].Value, p.loose = member, fmt.Errorf("duplicate member %q", name)
			continue
		}
		seen[name] = len(v.Fields)
		v.Fields = append(v.Fields, Member{Name: name, Value: member})
	}
	_, err := p.Token()
	return v, err
}
