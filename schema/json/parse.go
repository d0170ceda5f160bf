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

// Parse reads one JSON text strictly: valid UTF-8, no duplicate members, nothing after it. The order of members and
// the text of numbers are kept.
func Parse(text []byte) (*Value, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not valid UTF-8")
	}
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	if halfSurrogate(text) {
		return nil, errors.New("half of a surrogate pair")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := parseValue(d, 0)
	if err != nil {
		return nil, err
	}
	return &v, nil
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
		first := escaped(text[i+1:])
		i += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		if !bytes.HasPrefix(text[i+1:], []byte(`\u`)) || utf16.DecodeRune(first, escaped(text[i+3:])) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

// escaped reads the four hex digits of an escape.
func escaped(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 32)
	return rune(n)
}

func parseValue(d *json.Decoder, depth int) (Value, error) {
	if depth > deepest {
		return Value{}, errors.New("nested too deeply")
	}
	token, err := d.Token()
	if err != nil {
		return Value{}, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			return parseArray(d, depth)
		}
		return parseObject(d, depth)
	case string:
		return Value{Kind: Text, Text: token}, nil
	case json.Number:
		return *NewNumber(token.String()), nil
	case bool:
		return Value{Kind: Boolean, Text: fmt.Sprint(token)}, nil
	}
	return Value{Kind: Null, Text: "null"}, nil
}

func parseArray(d *json.Decoder, depth int) (Value, error) {
	v := Value{Kind: Array}
	for d.More() {
		item, err := parseValue(d, depth+1)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := d.Token()
	return v, err
}

func parseObject(d *json.Decoder, depth int) (Value, error) {
	v := Value{Kind: Object}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return Value{}, err
		}
		name, _ := key.(string)
		if seen[name] {
			return Value{}, fmt.Errorf("duplicate member %q", name)
		}
		seen[name] = true
		member, err := parseValue(d, depth+1)
		if err != nil {
			return Value{}, err
		}
		v.Fields = append(v.Fields, Member{Name: name, Value: member})
	}
	_, err := d.Token()
	return v, err
}
