package web

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// JSON is the media type of messages.
const JSON = "application/json"

// Accepts reports whether the Accept header allows all of the types (RFC 9110 section 12.5.1). Without one, everything is.
func Accepts(h http.Header, types ...string) bool {
	values := h["Accept"]
	return len(values) == 0 || !slices.ContainsFunc(types, func(t string) bool { return !acceptable(values, t) })
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

// IsJSON reports whether a Content-Type is that of messages.
func IsJSON(contentType string) bool {
	if contentType == JSON {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && t == JSON
}

// AcceptsEncoding reports whether the values of an Accept-Encoding header name the encoding, or every one (RFC 9110 section 12.5.3).
func AcceptsEncoding(values []string, encoding string) bool {
	named, all := false, false
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			name, params, _ := strings.Cut(part, ";")
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, encoding):
				if weightless(params) {
					return false
				}
				named = true
			case name == "*":
				all = !weightless(params)
			}
		}
	}
	return named || all
}
