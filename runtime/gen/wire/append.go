package wire

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// The appending functions work like append, with one difference: up to 8 bytes after what they append may be overwritten,
// within the capacity. Clip a buffer that shares its spare capacity with other data first.

// EncodeError is the panic value of the appending functions for a value that JSON cannot represent, such as NaN. Marshal functions, dispatch and clients
// recover it and report it as an error. Only code that calls an AppendJSON method itself meets it as a panic.
type EncodeError struct {
	What   string
	Before []byte // what was appended before
}

func (e *EncodeError) Error() string { return "cannot be written as JSON: " + e.What }

// CatchEncodeError is deferred around appending. It stores an [*EncodeError] that was the value of a panic in *err, and lets other panics pass.
func CatchEncodeError(err *error) {
	switch p := recover().(type) {
	case nil:
	case *EncodeError:
		*err = p
	default:
		panic(p)
	}
}

// AppendString appends s as a JSON string (RFC 8259 section 7). Invalid UTF-8 is replaced by U+FFFD.
func AppendString(b []byte, s string) []byte {
	b = withRoom(b, len(s)+2)
	return appendText(b, len(b), s)
}

// appendText writes s as a JSON string at n, the length of b. The capacity must hold s if it is plain.
func appendText(b []byte, n int, s string) []byte {
	d := b[:cap(b)]
	d[n] = '"'
	n++
	if !putShort(d, n, s) {
		return appendLong(d[:n], s)
	}
	n += len(s)
	d[n] = '"'
	return d[:n+1]
}

// putShort copies s to d[n:], which must have room, if it is plain and short. It reports whether it did.
func putShort(d []byte, n int, s string) bool {
	const long = 48
	k := len(s)
	var marks uint64
	switch {
	case k > long:
		return false
	case k >= 8:
		for i := 0; i < k-8; i += 8 {
			w := loadName(s, i)
			store(d, n+i, w)
			marks |= quoteBits(w)
		}
		w := loadName(s, k-8) // overlaps the word before
		store(d, n+k-8, w)
		marks |= quoteBits(w)
	case k >= 4: // the two words overlap
		low, high := loadName32(s, 0), loadName32(s, k-4)
		store32(d, n, low)
		store32(d, n+k-4, high)
		marks = quoteBits(uint64(low) | uint64(high)<<32)
	default:
		for i := range k {
			d[n+i] = s[i]
			marks |= quoteBits(uint64(s[i]) * ones)
		}
	}
	return marks&highs == 0
}

// appendLong appends s and the closing quote. The capacity must hold s if it is plain.
func appendLong(b []byte, s string) []byte {
	n := len(b)
	d := b[n:cap(b)]
	i := copyPlain(d, bytesOf(s), 0)
	if i < len(s) {
		return appendEscaped(b, s)
	}
	d[i] = '"'
	return b[:n+i+1]
}

// appendEscaped appends s and the closing quote if s has characters that are escaped.
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

// copyEscaped copies p to d and writes escapes of one letter. It stops at a character that needs another escape, or when little is left of either slice.
// It returns how many bytes it wrote and read.
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

// appendSpecial appends the character c, which has no short escape, as \u00XX. If c is not ASCII it is a byte of invalid UTF-8 and becomes U+FFFD.
func appendSpecial(b []byte, c byte) []byte {
	if c >= utf8.RuneSelf {
		return utf8.AppendRune(b, utf8.RuneError)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// escapes holds the letter of the short escape of each character, or 0.
var escapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// AppendInt appends v in decimal.
func AppendInt(b []byte, v int64) []byte {
	if v < 0 {
		return AppendUint(append(b, '-'), -uint64(v))
	}
	return AppendUint(b, uint64(v))
}

// AppendUint appends v in decimal.
func AppendUint(b []byte, v uint64) []byte {
	if v >= manyDigits {
		return strconv.AppendUint(b, v, 10)
	}
	b = withRoom(b, 8)
	return b[:putUint(b[:cap(b)], len(b), v)]
}

// manyDigits is the smallest number with more than eight digits.
const manyDigits = 1e8

// putUint writes v, which has at most eight digits, to d[n:], which must have room for a word, and returns the index after it.
func putUint(d []byte, n int, v uint64) int {
	switch {
	case v < 10:
		d[n] = byte('0' + v)
		return n + 1
	case v < 100:
		tens := v / 10
		d[n], d[n+1] = byte('0'+tens), byte('0'+v-10*tens)
		return n + 2
	}
	w := eightDigits(v)
	zeros := firstMark(w) // the highest digit is the lowest byte
	store(d, n, (w|zeroDigits)>>(8*zeros&63))
	return n + 8 - zeros
}

const zeroDigits = ones * '0'

// eightDigits returns the decimal digits of v, which must be below 1e8, one per byte with the highest digit in the lowest byte. It divides both parts of
// v in one operation, then all quarters: multiplying by 10486 and shifting by 20 divides by 100 for values below 10000.
func eightDigits(v uint64) uint64 {
	w := v/10000 | v%10000<<32
	hundreds := w * 10486 >> 20 & 0x7f_0000007f
	w = hundreds | (w-100*hundreds)<<16
	tens := w * 103 >> 10 & 0xf_000f_000f_000f
	return tens | (w-10*tens)<<8
}

// AppendBool appends true or false.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

// AppendFloat appends the shortest decimal that reads back as v, in the format of encoding/json. It panics with an [*EncodeError] for NaN and
// infinities, which JSON cannot represent (RFC 8259 section 6).
func AppendFloat(b []byte, v float64) []byte {
	b = withRoom(b, 16)
	if end := putFloat(b[:cap(b)], len(b), v); end > 0 {
		return b[:end]
	}
	return appendFloat(b, v)
}

// putFloat writes v to d[n:], which must have room for two words, if v has at most three decimals and eight digits before the point, as most numbers in
// messages do. It returns the index after it, or 0 if v is not such a number.
//
// A float64 is the nearest one to at most one decimal of 15 digits. So if v is the nearest one to u/1000, then u/1000 is its shortest decimal.
func putFloat(d []byte, n int, v float64) int {
	a := math.Abs(v)
	if !(a < manyDigits-1) {
		return 0
	}
	u := int64(a*1e3 + 0.5) // processors convert only signed integers directly
	if float64(u)/1e3 != a {
		return 0
	}
	if math.Signbit(v) {
		d[n] = '-'
		n++
	}
	whole := uint64(u) / 1000
	n = putUint(d, n, whole)
	part := uint32(uint64(u) - 1000*whole)
	if part == 0 {
		return n
	}
	tenths, hundredths := part/100, part/10
	store32(d, n, '.'|('0'+tenths)<<8|('0'+hundredths-10*tenths)<<16|('0'+part-10*hundredths)<<24)
	switch {
	case part == 100*tenths:
		return n + 2
	case part == 10*hundredths:
		return n + 3
	}
	return n + 4
}

// appendFloat is AppendFloat for the numbers that putFloat does not write.
func appendFloat(b []byte, v float64) []byte {
	a := math.Abs(v)
	if a < 1e9 {
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
	if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // write e-09 as e-9
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

// appendMillionths appends u/1000000 without trailing zeros, and without a point if it is an integer.
func appendMillionths(b []byte, u uint64) []byte {
	const scale = 1e6
	b = AppendUint(b, u/scale)
	point := len(b)
	b = AppendUint(b, scale+u%scale) // the leading 1, which the point replaces, keeps the zeros after it
	b[point] = '.'
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if len(b) == point+1 {
		return b[:point]
	}
	return b
}

// AppendNumber appends v. It panics with an [*EncodeError] if v is not a JSON number. The empty Number is written as 0.
func AppendNumber(b []byte, v Number) []byte {
	if v == "" {
		return append(b, '0')
	}
	if SkipNumber(bytesOf(string(v)), 0) != len(v) {
		panic(&EncodeError{What: strconv.Quote(string(v)) + " is not a number", Before: b})
	}
	return append(b, v...)
}

// AppendRaw appends the text of v.
func AppendRaw(b []byte, v Raw) []byte { return append(b, v.String()...) }

// AppendBytes appends v as a string in base64 (RFC 4648 section 4, with padding).
func AppendBytes(b, v []byte) []byte {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, v)
	return append(b, '"')
}

// AppendTime appends v as a date-time of RFC 3339, with as many decimals as it has. It panics with an [*EncodeError] if the year is not in the range 0
// to 9999, or if the offset is not a whole number of minutes.
func AppendTime(b []byte, v time.Time) []byte {
	_, offset := v.Zone()
	if y := v.Year(); y < 0 || y > 9999 || offset%60 != 0 || offset <= -24*3600 || offset >= 24*3600 {
		panic(&EncodeError{What: "the time " + v.String(), Before: b})
	}
	b = append(b, '"')
	b = v.AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// AppendStrings appends v as an array. A nil slice is written as [].
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
