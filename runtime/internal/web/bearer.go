package web

import "strings"

// Bearer returns the token of an Authorization header (RFC 6750 section 2.1).
func Bearer(values []string) (string, bool) {
	if len(values) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}
