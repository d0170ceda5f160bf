package grammar

// Limits on the size of a schema. The largest schemas known are a tenth of them.
const (
	MostDeclared = 20_000 // declarations of a section, such as types or methods
	MostMembers  = 5000   // fields of an object, and names in a list of names
	MostBranches = 500    // branches of a union, counted with those of unions within it
)
