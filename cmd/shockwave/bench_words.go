package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// grouped formats n with commas between groups of three digits.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// ratePerSecond formats a rate, with decimals only if it is below 100.
func ratePerSecond(v float64) string {
	if v >= 100 || v == math.Trunc(v) {
		return grouped(int64(math.Round(v)))
	}
	return trimZeros(significant(v))
}

// microseconds formats a time with three significant digits in a suitable unit.
func microseconds(us float64) string {
	v, unit := suitable(us)
	return significant(v) + unit
}

// roundMicroseconds is microseconds without trailing zeros: 2 ms, 2.5 ms.
func roundMicroseconds(us float64) string {
	v, unit := suitable(us)
	return trimZeros(significant(v)) + unit
}

// twoDigits is roundMicroseconds with two significant digits.
func twoDigits(us float64) string {
	if us <= 0 {
		return "0"
	}
	return roundMicroseconds(rounded(us, 2))
}

// suitable converts microseconds to the unit in which the value is between 1 and 999.
func suitable(us float64) (v float64, unit string) {
	switch {
	case us == 0:
		return 0, ""
	case us < 0.9995:
		return us * 1e3, " ns"
	case us < 999.5:
		return us, " µs"
	case us < 999.5e3:
		return us / 1e3, " ms"
	default:
		return us / 1e6, " s"
	}
}

// seconds is microseconds for a time in seconds.
func seconds(s float64) string { return microseconds(s * 1e6) }

// significant formats v with three significant digits.
func significant(v float64) string {
	if v >= 99.95 || v <= 0 {
		return grouped(int64(math.Round(v)))
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	return strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(rounded))), 64)
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// counted formats n with the singular or plural noun.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// percent formats part/whole. It never rounds down to 0 % or up to 100 %.
func percent(part, whole int64) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	switch {
	case part > 0 && p < 0.1:
		return "under 0.1 %"
	case part < whole && p > 99.9:
		return "over 99.9 %"
	case p < 10:
		return trimZeros(fmt.Sprintf("%.1f", p)) + " %"
	}
	return fmt.Sprintf("%.0f %%", p)
}
