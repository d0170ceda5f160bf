package wire

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// Appending functions work as append does, with one thing on top: behind what they append, up to 8 bytes more may be overwritten
// as far as the capacity reaches. A buffer that shares its spare capacity with other data is clipped before.

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
	b = withRoom(b, len(s)+2)
	return appendText(append(b, '"'), s)
}

// appendText appends s, for which there is room, and the closing quote.
func appendText(b []byte, s string) []byte {
	n := len(b)
	d := b[n:cap(b)]
	i := copyPlain(d, bytesOf(s), 0)
	if i < len(s) {
		return appendEscaped(b, s)
	}
	d[i] = '"'
	return b[:n+i+1]
}

// appendEscaped appends s and the closing quote when not all of s is plain.
func appendEscaped(b []byte, s string) []byte {
	p := bytesOf(s)
	for {
		b = withRoom(b, len(p)+1)
		n := len(b)
		d := b[n:cap(b)]
		written, read := copyEscaped(d, p)
		n += written
		d, p = d[written:], p[read:]
		if len(d) < len(p)+1+spare {
			b = b[:n]
			continue
		}
		i := copyPlain(d, p, 0)
		if i < len(p) && p[i] >= utf8.RuneSelf {
			i = copyMultibyte(d, p, i)
		}
		if i == len(p) {
			d[i] = '"'
			return b[:n+i+1]
		}
		if e := escapes[p[i]]; e != 0 {
			d[i], d[i+1] = '\\', e
			b = b[:n+i+2]
		} else {
			b = appendSpecial(b[:n+i], p[i])
		}
		p = p[i+1:]
	}
}

// copyEscaped copies p to d and writes escapes of one letter, up to what is neither that nor plain, or to where little is left of
// either. It returns how much it wrote and read.
func copyEscaped(d, p []byte) (n, i int) {
	for n+16 <= len(d) && i+8 <= len(p) {
		w := load(p, i)
		store(d, n, w)
		m := special(w)
		if m == 0 {
			n += 8
			i += 8
			continue
		}
		k := firstMark(m)
		n += k
		i += k
		e := escapes[p[i]]
		if e == 0 {
			break
		}
		binary.LittleEndian.PutUint16(d[n:], '\\'|uint16(e)<<8)
		n += 2
		i++
	}
	return n, i
}

const hexDigits = "0123456789abcdef"

// appendSpecial appends c, which has no letter in escapes, by its number; or U+FFFD when it is not ASCII: then it was found to
// be no UTF-8.
func appendSpecial(b []byte, c byte) []byte {
	if c >= utf8.RuneSelf {
		return utf8.AppendRune(b, utf8.RuneError)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// escapes holds the letter that stands for a character behind a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// AppendInt appends v.
func AppendInt(b []byte, v int64) []byte {
	if v < 0 {
		return AppendUint(append(b, '-'), -uint64(v))
	}
	return AppendUint(b, uint64(v))
}

// AppendUint appends v.
func AppendUint(b []byte, v uint64) []byte {
	switch {
	case v < 10:
		return append(b, byte('0'+v))
	case v < 100:
		return append(b, byte('0'+v/10), byte('0'+v%10))
	case v >= 1e8:
		return strconv.AppendUint(b, v, 10)
	}
	w := eightDigits(v)
	zeros := firstMark(w) // the highest digit is the lowest byte
	b = withRoom(b, 8)
	n := len(b)
	binary.LittleEndian.PutUint64(b[n:cap(b)], (w|zeroDigits)>>(8*zeros&63))
	return b[:n+8-zeros]
}

const zeroDigits = ones * '0'

// eightDigits returns the decimal digits of v, which is below 1e8, a byte each, the highest in the lowest byte. It divides
// all halves of v at once, then all quarters: multiplied by 10486 and shifted by 20 is divided by 100 for what is below 10000.
func eightDigits(v uint64) uint64 {
	w := v/10000 | v%10000<<32
	hundreds := w * 10486 >> 20 & 0x7f_0000007f
	w = hundreds | (w-100*hundreds)<<16
	tens := w * 103 >> 10 & 0xf_000f_000f_000f
	return tens | (w-10*tens)<<8
}

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
		// Most floats that people write have few decimals. A float is the nearest one to at most one number of 15 digits, so
		// when v is the nearest one to u / 1000, that is what v is written as.
		// (Signed integers are what processors convert from and to.)
		if u := int64(a*1e3 + 0.5); float64(u)/1e3 == a {
			return appendThousandths(appendSign(b, v), uint64(u))
		}
		if u := int64(a*1e6 + 0.5); float64(u)/1e6 == a {
			return appendMillionths(appendSign(b, v), uint64(u))
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

func appendSign(b []byte, v float64) []byte {
	if math.Signbit(v) {
		return append(b, '-')
	}
	return b
}

// appendThousandths appends u / 1000, without zeros at the end.
func appendThousandths(b []byte, u uint64) []byte {
	b = AppendUint(b, u/1000)
	u %= 1000
	switch {
	case u == 0:
		return b
	case u%100 == 0:
		return append(b, '.', byte('0'+u/100))
	case u%10 == 0:
		return append(b, '.', byte('0'+u/100), byte('0'+u/10%10))
	}
	return append(b, '.', byte('0'+u/100), byte('0'+u/10%10), byte('0'+u%10))
}

// appendMillionths appends u / 1000000, which is no whole number, without zeros at the end.
func appendMillionths(b []byte, u uint64) []byte {
	const scale = 1e6
	b = AppendUint(b, u/scale)
	point := len(b)
	b = AppendUint(b, scale+u%scale) // zeros before the decimals come out too, behind a 1 in the place of the point
	b[point] = '.'
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
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
