package ir

import (
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
