package mock

import (
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// judge reports what arguments break of their schema, in the words of a generated server.
type judge struct {
	schema ir.Value
	exact  *conform.Schema // nil if the schema has what that does not know

	mu    sync.Mutex
	loose *values.Schema
}

// newJudge returns a judge of a JSON Schema.
func newJudge(schema string) (j *judge, err error) {
	j = new(judge)
	if j.schema, err = ir.ParseJSON([]byte(schema)); err != nil {
		return nil, err
	}
	if j.exact, err = conform.New(schema); err != nil {
		j.loose, err = values.Compile([]byte(schema))
	}
	return j, err
}

// check returns what arguments break.
func (j *judge) check(args string) []violation.Violation {
	var all []violation.Violation
	if j.exact != nil {
		var vs violation.List
		j.exact.Check(&vs, "", args)
		all = vs.All()
	} else {
		j.mu.Lock()
		for _, v := range j.loose.Judge([]byte(args)) {
			all = append(all, violation.Violation{Pointer: v.Pointer, Rule: v.Keyword, Expected: v.Expected, Got: v.Got})
		}
		j.mu.Unlock()
	}
	for i := range all {
		if known, name, unknown := j.unknown(all[i].Pointer); unknown {
			all[i].Rule, all[i].Got, all[i].Closest = "additionalProperties", "unknown member "+name, violation.Closest(name, known)
			if all[i].Expected = "no members"; len(known) > 0 {
				all[i].Expected = violation.OneOf(known)
			}
		}
	}
	return all
}

// unknown reports whether a pointer leads to a member that the schema of its object does not have, and returns those that it has.
func (j *judge) unknown(pointer string) (known []string, name string, unknown bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return nil, "", false
	}
	is := merged(j.schema, j.schema)
	for _, step := range strings.Split(pointer[:i], "/")[1:] {
		is = merged(j.schema, is.Part(ir.UnescapePointer(step)))
	}
	name = ir.UnescapePointer(pointer[i+1:])
	for _, s := range is {
		extra, _ := s.Get("additionalProperties")
		properties, _ := s.Get("properties")
		if _, has := properties.Get(name); has || extra.String() != "false" {
			continue
		}
		for _, p := range properties.Fields {
			known = append(known, p.Name)
		}
		return known, name, true
	}
	return nil, "", false
}
