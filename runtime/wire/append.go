package wire

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// EncodeError is what the appending functions panic with when they are given what JSON cannot hold, such as NaN. Marshal
// functions, dispatch and clients recover it and report it as an error; only code that calls an AppendJSON method itself
// can meet it as a panic.
type EncodeError struct {
	What   string
	Before []byte // what had been appended
}

func (e *EncodeError) Error() string { return "cannot be written as JSON: " + e.What }

// CatchEncodeError is deferred around appending: it turns a panic with an [*EncodeError] into *err, and leaves others be.
func CatchEncodeError(err *error) {
	switch p := recover().(type) {
	case nil:
	case *EncodeError:
		*err = p
	default:
		panic(p)
	}
}

// AppendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	p := bytesOf(s)
	i := plain(p, 0)
	if i == len(p) {
		b = append(b, s...)
		return append(b, '"')
	}
	return appendEscaped(b, p, i)
}

const hexDigits = "0123456789abcdef"

// appendEscaped appends p and the closing quote; the first byte that is not plain is at i.
func appendEscaped(b, p []byte, i int) []byte {
	start := 0
	for i < len(p) {
		c := p[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(p[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(b, p[start:i]...)
				b = utf8.AppendRune(b, utf8.RuneError)
				start = i + 1
			}
			i += n
			if i < len(p) && p[i] < utf8.RuneSelf {
				i = plain(p, i)
			}
			continue
		}
		b = append(b, p[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
		i = plain(p, i)
	}
	b = append(b, p[start:]...)
	return append(b, '"')
}

// AppendInt appends v.
func AppendInt(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) }

// AppendUint appends v.
func AppendUint(b []byte, v uint64) []byte { return strconv.AppendUint(b, v, 10) }

// AppendBool appends v.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

// AppendFloat appends the shortest decimal that reads back as v, in the form that encoding/json gives it. It panics with an
// [*EncodeError] for NaN and the infinities.
func AppendFloat(b []byte, v float64) []byte {
	a := math.Abs(v)
	if a < 1e9 {
		// Most floats that people write have few decimals: when u / 10^k is v for the least k, u's digits are it.
		for k := range 4 {
			u := uint64(a*pow10[k] + 0.5)
			if float64(u)/pow10[k] != a {
				continue
			}
			if k > 0 && u%10 == 0 { // the rounding above missed a smaller k
				break
			}
			if math.Signbit(v) {
				b = append(b, '-')
			}
			return appendFixed(b, u, k)
		}
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		panic(&EncodeError{What: strconv.FormatFloat(v, 'g', -1, 64), Before: b})
	}
	if a == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, v, 'e', -1, 64)
	if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 is e-9
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// appendFixed appends u / 10^places.
func appendFixed(b []byte, u uint64, places int) []byte {
	switch places {
	case 0:
		return strconv.AppendUint(b, u, 10)
	case 1:
		b = strconv.AppendUint(b, u/10, 10)
		return append(b, '.', byte('0'+u%10))
	case 2:
		b = strconv.AppendUint(b, u/100, 10)
		return append(b, '.', byte('0'+u/10%10), byte('0'+u%10))
	default:
		b = strconv.AppendUint(b, u/1000, 10)
		return append(b, '.', byte('0'+u/100%10), byte('0'+u/10%10), byte('0'+u%10))
	}
}

// AppendNumber appends v. It panics with an [*EncodeError] when v is no JSON number; the empty Number is 0.
func AppendNumber(b []byte, v Number) []byte {
	if v == "" {
		return append(b, '0')
	}
	if SkipNumber(bytesOf(string(v)), 0) != len(v) {
		panic(&EncodeError{What: strconv.Quote(string(v)) + " is not a number", Before: b})
	}
	return append(b, v...)
}

// AppendRaw appends v.
func AppendRaw(b []byte, v Raw) []byte { return append(b, v.String()...) }

// AppendBytes appends v as a string in base64 (RFC 4648 section 4, padded).
func AppendBytes(b, v []byte) []byte {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, v)
	return append(b, '"')
}

// AppendTime appends v as an RFC 3339 date-time with as many decimals as it has. It panics with an [*EncodeError] for years
// outside 0 to 9999 and for offsets that are no whole minutes.
func AppendTime(b []byte, v time.Time) []byte {
	_, offset := v.Zone()
	if y := v.Year(); y < 0 || y > 9999 || offset%60 != 0 || offset <= -24*3600 || offset >= 24*3600 {
		panic(&EncodeError{What: "the time " + v.String(), Before: b})
	}
	b = append(b, '"')
	b = v.AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// AppendStrings appends v as an array; nil is [].
func AppendStrings[S ~string](b []byte, v []S) []byte {
	b = append(b, '[')
	for i, s := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, string(s))
	}
	return append(b, ']')
}
