package ir

// FormatInfo is what every part of the compiler knows of a format that is checked. Package judge knows it by itself: it is the second opinion.
type FormatInfo struct {
	Name    string // as JSON Schema calls it, and [Format.Name]
	Builtin string // the built-in type of the language that is a string of this format; empty if none is
	Check   string // the function of runtime/gen/format that checks it
	Words   string // what a text of the format is, for people
	Sample  string // a text of the format
	Bounded bool   // its texts are short, whatever they say
	Empty   bool   // the empty text is one of them
}

// Formats are the formats that are checked.
var Formats = []FormatInfo{
	{"uri", "uri", "URI", "a URI", "https://example.com/", false, false},
	{"uri-template", "uri_template", "URITemplate", "a URI template", "https://example.com/{id}", false, true},
	{"email", "email", "Email", "an email address", "ann@example.com", false, false},
	{"uuid", "uuid", "UUID", "a UUID", "123e4567-e89b-12d3-a456-426614174000", true, false},
	{"date", "date", "Date", "a date, such as 2026-01-31", "2026-01-31", true, false},
	{"date-time", "", "DateTime", "a date and time, such as 2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z", false, false},
	{"duration", "duration", "Duration", "a duration, such as PT5M", "PT5M", false, false},
}

// FormatNamed returns the format that JSON Schema calls by a name; without a name if there is none.
func FormatNamed(name string) FormatInfo {
	return First(Formats, func(f FormatInfo) bool { return f.Name == name })
}

// FormatOf returns the format of a built-in type; without a name if it has none.
func FormatOf(builtin string) FormatInfo {
	return First(Formats, func(f FormatInfo) bool { return f.Builtin == builtin && builtin != "" })
}

// FormatIn returns the format among rules; without a name if there is none.
func FormatIn(rules []Rule) (found FormatInfo) {
	if r, is := First(rules, func(r Rule) bool { _, is := r.(*Format); return is }).(*Format); is {
		found = FormatNamed(r.Name)
	}
	return found
}

// TypeOfFormat returns the built-in type whose values have a format of JSON Schema; empty if there is none.
func TypeOfFormat(name string) string {
	if s := First(Scalars, func(s *ScalarInfo) bool { return s.Format == name && name != "" }); s != nil {
		return s.Name
	}
	return FormatNamed(name).Builtin
}
