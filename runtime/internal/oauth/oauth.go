// Package oauth reads what token endpoints answer, also those that do not do so as RFC 6749 says.
//
//test:by ./runtime/mcp/mcpauth
package oauth

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// TokenError returns the error in an answer of a token endpoint. It reports false for one of status 200 without an error: GitHub and Slack send errors with
// that status. The code is empty if the answer has none.
func TokenError(status int, body []byte) (code, description string, refused bool) {
	var answer struct {
		Error       json.RawMessage `json:"error"`
		Status      json.RawMessage `json:"status"` // of HubSpot, in place of error
		OK          *bool           `json:"ok"`     // of Slack
		Description json.RawMessage `json:"error_description"`
	}
	_ = json.Unmarshal(body, &answer) // what is not an object has no error; its status may be one
	text := func(raw json.RawMessage) (s string) {
		_ = json.Unmarshal(raw, &s)
		return s
	}
	code, description = text(answer.Error), text(answer.Description)
	switch string(answer.Error) {
	case "", "null", `""`, "false":
		refused = status != http.StatusOK || answer.OK != nil && !*answer.OK
	default:
		refused = true
	}
	if refused && code == "" {
		code = text(answer.Status)
	}
	return code, description, refused
}

// ending are the codes that say that a refresh token will never be taken again. After other codes, and a status without a code, it is kept: they may be errors
// of the program, of its options or of the moment.
var ending = []string{
	"invalid_grant",         // RFC 6749 section 5.2
	"bad_refresh_token",     // GitHub, with status 200 ("Refreshing user access tokens"); HubSpot, in capitals and the member status
	"invalid_refresh_token", // Slack, with status 200 (method oauth.v2.access)
	"invalid_token",         // RFC 6750 section 3.1, meant for APIs: expired, revoked, malformed
	"token_expired",         // Slack and others, of tokens of all kinds
	"expired_token",         // RFC 8628 section 3.5, meant for codes of devices
}

// refreshTokenWords finds in the description of an invalid_request that it is about the refresh token, as authlib (issue 112) and better-auth (before pull
// request 8103) do.
var refreshTokenWords = regexp.MustCompile(`(?i)\b(?:invalid|expired|revoked|unknown)\W+refresh[ _]token\b|\brefresh[ _]token\b.{0,20}\b(?:invalid|expired|revoked|unknown|not found)\b`)

// Ends reports whether an error that a token endpoint answers to a refresh ends the grant: the refresh token cannot be used any more.
func Ends(code, description string) bool {
	code, _, _ = strings.Cut(strings.ToLower(code), ":") // EVE Online appends the description
	return slices.Contains(ending, code) || code == "invalid_request" && refreshTokenWords.MatchString(description)
}
