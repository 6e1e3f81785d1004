package figures

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Rounded returns v with that many significant digits.
func Rounded(v float64, digits int) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v))-float64(digits-1))
	return math.Round(v/unit) * unit
}

// Grouped formats n with commas between groups of three digits.
func Grouped(n int64) string {
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

// RatePerSecond formats a rate, with decimals only if it is below 100.
func RatePerSecond(v float64) string {
	if v >= 100 || v == math.Trunc(v) {
		return Grouped(int64(math.Round(v)))
	}
	return TrimZeros(Significant(v))
}

// Microseconds formats a time with three significant digits in a suitable unit.
func Microseconds(us float64) string {
	v, unit := suitable(us)
	return Significant(v) + unit
}

// RoundMicroseconds is microseconds without trailing zeros: 2 ms, 2.5 ms.
func RoundMicroseconds(us float64) string {
	v, unit := suitable(us)
	return TrimZeros(Significant(v)) + unit
}

// TwoDigits is RoundMicroseconds with two significant digits.
func TwoDigits(us float64) string {
	if us <= 0 {
		return "0"
	}
	return RoundMicroseconds(Rounded(us, 2))
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

// Seconds is microseconds for a time in seconds.
func Seconds(s float64) string { return Microseconds(s * 1e6) }

// Significant formats v with three significant digits.
func Significant(v float64) string {
	if v >= 99.95 || v <= 0 {
		return Grouped(int64(math.Round(v)))
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	return strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(rounded))), 64)
}

// TrimZeros removes the zeros at the end of a decimal fraction.
func TrimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Counted formats n with the singular or plural noun.
func Counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Percent formats part/whole. It never rounds down to 0 % or up to 100 %.
func Percent(part, whole int64) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	switch {
	case part > 0 && p < 0.1:
		return "under 0.1 %"
	case part < whole && p > 99.9:
		return "over 99.9 %"
	case p < 10:
		return TrimZeros(fmt.Sprintf("%.1f", p)) + " %"
	}
	return fmt.Sprintf("%.0f %%", p)
}

// ByteSize returns n with a binary unit and at most one decimal.
func ByteSize(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n)/(1<<10), "KMGTPE"
	for value >= 1<<10 && len(units) > 1 {
		value, units = value/(1<<10), units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, units[0])
}
