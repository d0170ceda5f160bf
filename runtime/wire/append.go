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
	return appendText(b, len(b), s)
}

// appendText writes s as a JSON string at n, behind b, where there is room for it when it is plain.
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

// putShort copies s to d[n], where there is room, when it is plain and not long.
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
			marks |= unmasked(w)
		}
		w := loadName(s, k-8) // again some of the word before
		store(d, n+k-8, w)
		marks |= unmasked(w)
	case k >= 4: // the halves overlap
		low, high := halfName(s, 0), halfName(s, k-4)
		storeHalf(d, n, low)
		storeHalf(d, n+k-4, high)
		marks = unmasked(uint64(low) | uint64(high)<<32)
	default:
		for i := range k {
			d[n+i] = s[i]
			marks |= unmasked(uint64(s[i]) * ones)
		}
	}
	return marks&highs == 0
}

// appendLong appends s, for which there is room when it is plain, and the closing quote.
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
	if v >= manyDigits {
		return strconv.AppendUint(b, v, 10)
	}
	b = withRoom(b, 8)
	return b[:putUint(b[:cap(b)], len(b), v)]
}

// manyDigits is the least number that has more than eight digits.
const manyDigits = 1e8

// putUint writes v, which has at most eight digits, to d[n], where there is room for a word, and returns the index after it.
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
	b = withRoom(b, 16)
	if end := putFloat(b[:cap(b)], len(b), v); end > 0 {
		return b[:end]
	}
	return appendFloat(b, v)
}

// putFloat writes v to d[n], where there is room for two words, when it has at most three decimals and eight digits before them,
// as most numbers that people write. It returns the index after it; zero: v is another number.
//
// A float is the nearest one to at most one number of 15 digits, so when v is the nearest one to u / 1000, that is what v is
// written as.
func putFloat(d []byte, n int, v float64) int {
	a := math.Abs(v)
	if !(a < manyDigits-1) {
		return 0
	}
	u := int64(a*1e3 + 0.5) // signed integers are what processors convert from and to
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
	storeHalf(d, n, '.'|('0'+tenths)<<8|('0'+hundredths-10*tenths)<<16|('0'+part-10*hundredths)<<24)
	switch {
	case part == 100*tenths:
		return n + 2
	case part == 10*hundredths:
		return n + 3
	}
	return n + 4
}

// appendFloat is AppendFloat for what putFloat does not write.
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

// appendMillionths appends u / 1000000, without zeros at the end, and without a point when nothing else follows it.
func appendMillionths(b []byte, u uint64) []byte {
	const scale = 1e6
	b = AppendUint(b, u/scale)
	point := len(b)
	b = AppendUint(b, scale+u%scale) // zeros before the decimals come out too, behind a 1 in the place of the point
	b[point] = '.'
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if len(b) == point+1 {
		return b[:point]
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
