package mcpauth

import (
	"fmt"
	"slices"
	"strings"
)

// The limits of lists of scopes.
const (
	mostScopes   = 128 // that a server names, in a challenge or in metadata
	mostGranted  = 256 // of a token, which may have those of several challenges
	longestScope = 256 // bytes
)

// readScopes reads a list of at most that many scopes, which are separated by spaces (RFC 6749 section 3.3).
func readScopes(text string, most int) ([]string, error) {
	scopes := []string{}
	for scope := range strings.FieldsSeq(text) {
		if scopes = append(scopes, scope); len(scopes) > most {
			break
		}
	}
	return scopes, checkScopes(scopes, most)
}

// checkScopes returns an error if there are too many scopes, or if one is too long.
func checkScopes(scopes []string, most int) error {
	if len(scopes) > most {
		return fmt.Errorf("more than %d scopes", most)
	}
	if slices.ContainsFunc(scopes, func(scope string) bool { return len(scope) > longestScope }) {
		return fmt.Errorf("a scope of more than %d bytes", longestScope)
	}
	return nil
}

// selectScopes returns the scopes to request (basic/authorization, Scope Selection Strategy): those
// of the challenge or else of the metadata, those of the options, and those that were granted
// before.
func selectScopes(c *challenge, r *resource, extra, granted []string) []string {
	named := c.scopes
	if len(named) == 0 {
		named = r.Scopes
	}
	var all []string
	known := make(map[string]bool)
	for _, scope := range slices.Concat(granted, named, extra) {
		if !known[scope] {
			known[scope] = true
			all = append(all, scope)
		}
	}
	return all
}

// contains reports whether all scopes are in a list.
func contains(list, scopes []string) bool {
	known := make(map[string]bool, len(list))
	for _, scope := range list {
		known[scope] = true
	}
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !known[scope] })
}
