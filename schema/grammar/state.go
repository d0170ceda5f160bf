package grammar

import "sync"

// State is a collection of entries that a mock keeps.
var State = sync.OnceValue(func() *Place {
	return &Place{Name: "a collection", Keys: []Key{
		{Name: "type", Doc: "The type of the entries, an object.", Value: text(), Required: true},
		{Name: "key", Doc: "The member of the type that tells entries apart. The inputs of read, update and delete have it, too.", Value: text(), Required: true},
		{Name: "create", Doc: "The tool or method that adds an entry.", Value: text()},
		{Name: "read", Doc: "The tool or method that returns one entry.", Value: text()},
		{Name: "list", Doc: "The tool or method that returns entries. Arguments with the name of a member select those that are equal, or whose text " +
			"contains it.", Value: text()},
		{Name: "update", Doc: "The tool or method that changes members of one entry.", Value: text()},
		{Name: "delete", Doc: "The tool or method that removes one entry.", Value: text()},
		{Name: "start", Doc: "How many entries there are at the start. The default is none.", Value: integer()},
		{Name: "missing", Doc: "The error for a key that no entry has.", Value: text()},
	}}
})
