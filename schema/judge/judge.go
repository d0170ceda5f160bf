// Package judge decides whether a JSON value fits a type of the model, slowly and obviously: it is what the generated
// validators are compared with, and what checks the values that a schema itself holds.
//
// Where a keyword is JSON Schema's, the meaning is JSON Schema's.
//
//test:sequential
package judge

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Fault is one reason why a value does not fit.
type Fault struct {
	Pointer string // RFC 6901, from the judged value on; empty for the value itself
	Rule    string // the keyword that is broken, such as minLength
	Message string
}

// Judge returns every reason why a value does not fit a type; none when it fits.
func Judge(t ir.Type, v ir.Value) []Fault {
	j := &judgement{}
	j.value(t, v)
	return j.faults
}

type judgement struct {
	path   []string
	faults []Fault
}

func (j *judgement) fault(rule, message string) {
	j.faults = append(j.faults, Fault{Pointer: pointer(j.path), Rule: rule, Message: message})
}

// at judges a part of the value.
func (j *judgement) at(name string, t ir.Type, v ir.Value) {
	j.path = append(j.path, name)
	j.value(t, v)
	j.path = j.path[:len(j.path)-1]
}

func (j *judgement) item(index int, t ir.Type, v ir.Value) { j.at(strconv.Itoa(index), t, v) }

// pointer writes an RFC 6901 pointer.
func pointer(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteByte('/')
		b.WriteString(ir.EscapePointer(name))
	}
	return b.String()
}
