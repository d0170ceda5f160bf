package openrpc

import (
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// dataKey is the member under which an import keeps an example of the data of an error, which OpenRPC calls data.
const dataKey = "x-data"

// errorObject holds a code and a message; OpenRPC allows nothing else that describes the data.
func errorObject(f *ir.Error) ir.Value {
	o := new(object)
	o.set("code", integer(f.Code))
	o.set("message", ir.Value{Kind: ir.Text, Text: f.Text()})
	for _, x := range f.Ext {
		if x.Key == dataKey {
			o.set("data", x.Value)
		}
	}
	return o.value()
}

// errorFacts keeps what errors say beyond OpenRPC, by the name of the error.
func (e *exporter) errorFacts() *object {
	all := new(object)
	for _, f := range e.doc.Errors {
		all.object(f.Name, e.facts(f))
	}
	return all
}

func (e *exporter) facts(f *ir.Error) *object {
	o := new(object)
	o.text("description", f.Doc)
	o.flag("deprecated", f.Deprecated != nil)
	o.texts("when", f.When)
	o.text("category", f.Category)
	o.text("severity", f.Severity)
	if f.HTTP != 0 {
		o.set("http", integer(f.HTTP))
	}
	o.flag("retry", f.Retry)
	o.flag("reserved", f.Reserved)
	if f.Data != nil {
		o.set("data", e.schema(f.Data))
	}
	for _, x := range f.Ext {
		if x.Key != dataKey {
			o.set(x.Key, x.Value)
		}
	}
	return o
}
