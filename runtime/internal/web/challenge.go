package web

import "strings"

// Challenge is one challenge of a header WWW-Authenticate (RFC 9110 section 11.6.1).
type Challenge struct {
	Scheme string            // in lower case
	Params map[string]string // by names in lower case; of equal names, the first one counts; nil if there are none
}

// The limits of what is read of a header WWW-Authenticate. The rest is ignored.
const (
	maxChallenges     = 16
	maxParams         = 32       // of a challenge
	maxChallengeBytes = 64 << 10 // of all values
)

// Challenges reads the values of a header WWW-Authenticate. It reads as far as it can: what follows a syntax error is ignored.
func Challenges(values []string) []Challenge {
	var all []Challenge
	left := maxChallengeBytes
	for _, value := range values {
		if left -= len(value); left < 0 {
			return all
		}
		s := strings.TrimLeft(value, " \t,")
		for s != "" {
			var name string
			name, s = headerToken(s)
			if name == "" {
				break
			}
			rest := strings.TrimLeft(s, " \t")
			switch {
			case strings.HasPrefix(rest, "=") && len(all) > 0:
				s = addParam(&all[len(all)-1], name, rest[1:])
			case strings.HasPrefix(rest, "="):
				return nil
			case len(all) == maxChallenges:
				return all
			default:
				all = append(all, Challenge{Scheme: strings.ToLower(name)})
				s = skipToken68(rest)
			}
			s = strings.TrimLeft(s, " \t,")
		}
	}
	return all
}

// addParam adds the parameter whose value is at the beginning of s, and returns the rest.
func addParam(c *Challenge, name, s string) string {
	value, rest := headerValue(strings.TrimLeft(s, " \t"))
	if len(c.Params) == maxParams {
		return rest
	}
	if c.Params == nil {
		c.Params = make(map[string]string)
	}
	name = strings.ToLower(name)
	if _, known := c.Params[name]; !known {
		c.Params[name] = value
	}
	return rest
}

// skipToken68 skips the credentials of a scheme that has no parameters, such as those of Negotiate.
func skipToken68(s string) string {
	name, rest := headerToken(s)
	after := strings.TrimLeft(rest, " \t")
	value := strings.TrimLeft(strings.TrimPrefix(after, "="), " \t=")
	if name == "" || strings.HasPrefix(after, "=") && value != "" && value[0] != ',' {
		return s // a parameter, or a comma
	}
	if strings.HasPrefix(after, "=") {
		return value
	}
	return after
}

// headerToken reads a token (RFC 9110 section 5.6.2), and returns the rest.
func headerToken(s string) (token, rest string) {
	end := strings.IndexAny(s, " \t,=\"")
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}

// headerValue reads a token or a quoted string, and returns the rest.
func headerValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, " \t,")
		if end < 0 {
			return s, ""
		}
		return s[:end], s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
