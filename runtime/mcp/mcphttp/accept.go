package mcphttp

import (
	"mime"
	"net/http"
	"strings"
)

const (
	typeJSON   = "application/json"
	typeStream = "text/event-stream"
)

// accepts reports whether the Accept header allows all of the types (RFC 9110 section 12.5.1). Without one, everything is.
func accepts(h http.Header, types ...string) bool {
	values := h["Accept"]
	if len(values) == 0 {
		return true
	}
	for _, t := range types {
		if !acceptable(values, t) {
			return false
		}
	}
	return true
}

// acceptable reports whether one of the media ranges in values covers the type. What weighs nothing is not wanted.
func acceptable(values []string, wanted string) bool {
	major, _, _ := strings.Cut(wanted, "/")
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			name, params, _ := strings.Cut(part, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			if (name == wanted || name == "*/*" || name == major+"/*") && !weightless(params) {
				return true
			}
		}
	}
	return false
}

// weightless reports whether the parameters of a media range have q=0.
func weightless(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			return strings.Trim(value, "0.") == ""
		}
	}
	return false
}

// isJSON reports whether a Content-Type is that of messages.
func isJSON(contentType string) bool {
	if contentType == typeJSON {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && t == typeJSON
}
