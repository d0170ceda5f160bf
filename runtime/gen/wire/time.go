package wire

// IsDate reports whether s is a full-date of RFC 3339 section 5.6, and the day exists.
func IsDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' || !areDigits(s[:4]) || !areDigits(s[5:7]) || !areDigits(s[8:]) {
		return false
	}
	year := int(s[0]-'0')*1000 + int(s[1]-'0')*100 + int(s[2]-'0')*10 + int(s[3]-'0')
	month := int(s[5]-'0')*10 + int(s[6]-'0')
	day := int(s[8]-'0')*10 + int(s[9]-'0')
	return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

// IsDateTime reports whether s is a date-time of RFC 3339 section 5.6. Second 60 is refused, as everywhere: Go's time cannot hold it.
func IsDateTime(s string) bool {
	return len(s) > 10 && IsDate(s[:10]) && (s[10] == 'T' || s[10] == 't') && isFullTime(s[11:])
}

// isFullTime reports whether s is a time of day with an offset: 12:00:00.5Z or 12:00:00+01:00.
func isFullTime(s string) bool {
	if len(s) < 9 || !isClock(s[:5]) || s[5] != ':' || s[6] > '5' || !areDigits(s[6:8]) {
		return false
	}
	s = s[8:]
	if s[0] == '.' {
		n := 1
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 1 {
			return false
		}
		s = s[n:]
	}
	return s == "Z" || s == "z" || len(s) == 6 && (s[0] == '+' || s[0] == '-') && isClock(s[1:])
}

// isClock reports whether s is hours and minutes: 23:59.
func isClock(s string) bool {
	return len(s) == 5 && s[2] == ':' && areDigits(s[:2]) && areDigits(s[3:]) && s[:2] <= "23" && s[3] <= '5'
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func areDigits(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return true
}
