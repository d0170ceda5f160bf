package schema_test

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// printModel writes a document as text, for golden files: every field that is not zero. A value is one line, and what does not fit on it is
// below. @ is a line and column of the schema. &NAME is what has that name: it is written in whole where the document lists it, or where it
// was listed first.
func printModel(w io.Writer, d *ir.Document) error {
	p := &printer{file: d.File, listed: map[any]bool{}, within: map[any]bool{}}
	root := reflect.ValueOf(d).Elem()
	for _, field := range root.Fields() {
		if field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Pointer {
			for i := range field.Len() {
				p.listed[field.Index(i).Interface()] = true
			}
		}
	}
	head, below := p.structure(root, true)
	_, err := io.WriteString(w, head+"\n"+strings.Join(append(below, ""), "\n"))
	return err
}

type printer struct {
	file   string
	listed map[any]bool // what is written elsewhere
	within map[any]bool // what is being written
}

// value returns a value on one line, and the lines below it. An element of a list is written in whole unless it was before.
func (p *printer) value(v reflect.Value, element bool) (head string, below []string) {
	switch x := v.Interface().(type) {
	case diag.Pos:
		if x.File == p.file {
			return fmt.Sprintf("@%d:%d", x.Line, x.Col), nil
		}
		return "@" + x.String(), nil
	case ir.Key:
		head, _ = p.value(reflect.ValueOf(x.Pos), false)
		return x.Name + head, nil
	case ir.Value:
		return x.String(), nil
	}
	switch v.Kind() {
	case reflect.Interface:
		head, below = p.value(v.Elem(), element)
		return strings.TrimSpace(v.Elem().Type().Elem().Name() + " " + head), below
	case reflect.Pointer:
		return p.pointer(v, element)
	case reflect.Struct:
		return p.structure(v, false)
	case reflect.Slice:
		return p.list(v, "", false)
	case reflect.String:
		return strconv.Quote(v.String()), nil
	}
	return fmt.Sprint(v.Interface()), nil
}

func (p *printer) pointer(v reflect.Value, element bool) (head string, below []string) {
	at, name := v.Interface(), ""
	switch x := at.(type) {
	case *ir.Document:
		if x.File == p.file {
			return "", nil
		}
		return "&" + x.File, nil
	case *ir.Import:
		name = x.Alias
	case *ir.Decl, *ir.Error, *ir.Method, *ir.Backend, *ir.Field, *ir.Branch:
		name = v.Elem().FieldByName("Name").String()
	}
	if p.within[at] || name != "" && (!element || p.listed[at]) {
		return "&" + cmp.Or(name, v.Type().Elem().Name()), nil
	}
	p.listed[at], p.within[at] = name != "", true
	defer delete(p.within, at)
	return p.value(v.Elem(), false)
}

// structure writes the fields of a struct, those of embedded ones as its own.
func (p *printer) structure(v reflect.Value, root bool) (head string, below []string) {
	var parts []string
	for field, x := range v.Fields() {
		label := field.Name + " "
		var one string
		var more []string
		switch {
		case x.IsZero():
			continue
		case field.Anonymous && x.Type() != reflect.TypeFor[diag.Pos]():
			one, more = p.structure(x, false)
			label = ""
		case field.Name == "Name" && x.Kind() == reflect.String:
			parts = slices.Insert(parts, 0, x.String())
			continue
		case x.Kind() == reflect.Slice:
			one, more = p.list(x, label, root)
		default:
			if one, more = p.value(x, false); more != nil {
				one, more = "", append([]string{label + one}, indented(more)...)
			}
		}
		below = append(below, more...)
		switch {
		case one == "" || label == "" || field.Name == "Pos":
		case x.Kind() == reflect.Bool:
			one = field.Name
		case strings.Contains(one, " ") && one[0] != '"' && one[0] != '[' && one[0] != '{':
			one = field.Name + "=(" + one + ")"
		default:
			one = field.Name + "=" + one
		}
		if one != "" {
			parts = append(parts, one)
		}
	}
	return strings.Join(parts, " "), below
}

// list writes a list in brackets, or an element a line with the label before it.
func (p *printer) list(v reflect.Value, label string, root bool) (head string, below []string) {
	var heads []string
	flat := !root
	for i := range v.Len() {
		if root && v.Index(i).Kind() == reflect.Pointer {
			delete(p.listed, v.Index(i).Interface())
		}
		one, more := p.value(v.Index(i), true)
		heads, below = append(heads, one), append(append(below, label+one), indented(more)...)
		flat = flat && more == nil
	}
	all := "[" + strings.Join(heads, ", ") + "]"
	if flat && (len(all) < 60 || label == "" || v.Type().Elem() == reflect.TypeFor[ir.Key]()) {
		return all, nil
	}
	return "", below
}

func indented(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}
