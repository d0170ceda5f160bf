package ir

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// State is a collection of entries that calls create, read, list, update and delete. It says what a mock keeps, and changes no generated code.
type State struct {
	Pos                                diag.Pos
	Name                               string
	Type                               *Decl  // an object
	Key                                string // the member that tells entries apart
	Create, Read, List, Update, Delete string // names of tools or methods; empty if there is none
	Start                              int    // how many entries there are at the start
	Missing                            string // the name of the error for an unknown key; empty if there is none
}

// String describes a collection on one line.
func (s *State) String() string {
	text := fmt.Sprintf("state %s type %s key %s", s.Name, s.Type.Name, s.Key)
	for _, one := range [][2]string{{"create", s.Create}, {"read", s.Read}, {"list", s.List}, {"update", s.Update}, {"delete", s.Delete}, {"missing", s.Missing}} {
		if one[1] != "" {
			text += " " + one[0] + " " + one[1]
		}
	}
	if s.Start > 0 {
		text += fmt.Sprintf(" start %d", s.Start)
	}
	return text
}
