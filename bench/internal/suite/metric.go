package suite

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Metric is a figure that scenarios have.
type Metric struct {
	Key   string // in the results
	Title string // with its unit
	More  bool   // more is better
}

// Keys of figures that are no metric of a scenario and say how far its metrics can be trusted.
const (
	LoadCores = "load_cores"   // how many cores' time the load generator took
	Behind    = "behind_share" // of the requests of a fixed rate, those that were sent late or never
)

// Number prints a figure with three digits that count, and thousands apart. A whole number
// has no decimals.
func Number(v float64) string {
	switch a := max(v, -v); {
	case a < 10_000 && a == math.Trunc(a):
		return thousands(v, 1)
	case a < 0.005:
		return fmt.Sprintf("%.4f", v)
	case a < 10:
		return fmt.Sprintf("%.2f", v)
	case a < 100:
		return fmt.Sprintf("%.1f", v)
	case a < 10_000:
		return thousands(v, 1)
	}
	return thousands(v, 100)
}

// thousands prints v rounded to a multiple of unit.
func thousands(v, unit float64) string {
	digits := strconv.Itoa(int(v/unit+0.5) * int(unit))
	if v < 0 {
		digits = strconv.Itoa(int(v/unit-0.5) * int(unit))
	}
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	var groups []string
	for len(digits) > 3 {
		groups = append([]string{digits[len(digits)-3:]}, groups...)
		digits = digits[:len(digits)-3]
	}
	return sign + strings.Join(append([]string{digits}, groups...), ",")
}
