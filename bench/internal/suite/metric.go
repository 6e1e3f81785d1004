package suite

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Metric is a kind of figure that scenarios measure.
type Metric struct {
	Key   string // its name in the results
	Title string // its heading, with the unit
	More  bool   // larger is better
}

// Keys of figures that are not metrics of a scenario. They say how far its metrics can be trusted.
const (
	LoadCores = "load_cores"   // how many cores the load generator used
	Behind    = "behind_share" // with a fixed rate, the share of the requests that were sent late or never
)

// Number formats a figure with three significant digits and commas between thousands. A whole number has no decimals.
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

// thousands formats v, rounded to a multiple of unit, with commas between thousands.
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
