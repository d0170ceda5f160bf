// Package uri expands and matches URI templates of RFC 6570, levels 1 and 2: {name}, {+name} and {#name}. Generated code contains the
// parts of a template, so that nothing is parsed when a program runs:
//
//	b := []byte("shop://items/")
//	b = uri.Append(b, sku)
//
//	m := uri.NewMatch("shop://items/ABC-1234")
//	m.Literal("shop://items/")
//	sku := m.Last("")
//	ok := m.Done()
//
//test:sequential
package uri
