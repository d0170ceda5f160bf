package protocol

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// Lists is a set of the lists whose changes are notified.
type Lists struct{ Tools, Prompts, Resources bool }

// And returns the lists that are in both sets.
func (l Lists) And(other Lists) Lists {
	return Lists{l.Tools && other.Tools, l.Prompts && other.Prompts, l.Resources && other.Resources}
}

// Or returns the lists that are in either set.
func (l Lists) Or(other Lists) Lists {
	return Lists{l.Tools || other.Tools, l.Prompts || other.Prompts, l.Resources || other.Resources}
}

// Filter is what a client subscribes to (SubscriptionFilter).
type Filter struct {
	Lists Lists
	URIs  []string // of resources
	Tasks []string // ids (SEP-2663, Task Status Notifications)
}

// DecodeJSON reads f.
func (f *Filter) DecodeJSON(r *wire.Reader) {
	*f = Filter{}
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.KeyNotNull(&o, 0, `"toolsListChanged":`) {
			f.Lists.Tools = r.Bool()
		}
		if r.KeyNotNull(&o, 1, `"promptsListChanged":`) {
			f.Lists.Prompts = r.Bool()
		}
		if r.KeyNotNull(&o, 2, `"resourcesListChanged":`) {
			f.Lists.Resources = r.Bool()
		}
		if r.KeyNotNull(&o, 3, `"resourceSubscriptions":`) {
			f.URIs = wire.Strings(r, f.URIs)
		}
		if r.KeyNotNull(&o, 4, `"taskIds":`) {
			f.Tasks = wire.Strings(r, f.Tasks)
		}
	}
}

// AppendJSON appends f.
func (f *Filter) AppendJSON(b []byte) []byte {
	start := len(b)
	if f.Lists.Tools {
		b = append(b, `,"toolsListChanged":true`...)
	}
	if f.Lists.Prompts {
		b = append(b, `,"promptsListChanged":true`...)
	}
	if f.Lists.Resources {
		b = append(b, `,"resourcesListChanged":true`...)
	}
	if len(f.URIs) > 0 {
		b = wire.AppendStrings(append(b, `,"resourceSubscriptions":`...), f.URIs)
	}
	if len(f.Tasks) > 0 {
		b = wire.AppendStrings(append(b, `,"taskIds":`...), f.Tasks)
	}
	return wire.CloseObject(b, start)
}
