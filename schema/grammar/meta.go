package grammar

import "slices"

// about are the keys by which anything may be described, and go how it may be called in Go. They stand at the two ends.
func about() []Key {
	return []Key{
		{Name: "title", Doc: "A short name for readers.", Value: text()},
		{Name: "description", Doc: "What it is, for readers: it becomes Go doc comments and descriptions of JSON Schema. Comments of YAML never do.", Value: prose()},
		{Name: "deprecated", Doc: "It should no longer be used: true, the reason, or since, remove, reason and use.", Value: deprecatedKey()},
	}
}

func naming() []Key {
	return []Key{{Name: "go", Doc: "The Go name to use instead of the derived one, or an existing Go type to bind to.", Value: goName()}}
}

// describe puts keys between those that describe and those that name.
func describe(keys ...Key) []Key { return slices.Concat(about(), keys, naming()) }

func deprecatedKey() *Place {
	return &Place{Name: "deprecated", Scalars: []Scalar{Prose, Boolean}, Keys: []Key{
		{Name: "since", Doc: "The version in which it was deprecated.", Value: text()},
		{Name: "remove", Doc: "The version in which it goes.", Value: text()},
		{Name: "reason", Doc: "Why it should no longer be used.", Value: prose()},
		{Name: "use", Doc: "What to use instead.", Value: text()},
	}}
}

func goName() *Place {
	return &Place{Name: "go", Scalars: []Scalar{Text}, Keys: []Key{
		{Name: "name", Doc: "The Go name.", Value: text()},
		{Name: "type", Doc: "The name of an existing Go type, which import says where to find.", Value: text()},
		{Name: "import", Doc: "The import path of the package that has the type.", Value: text()},
	}}
}
