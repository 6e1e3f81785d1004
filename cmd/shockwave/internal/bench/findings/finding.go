package findings

import (
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
)

// Thresholds returns the lines of the report about -fail.
func Thresholds(all []report.Threshold) (list []Line) {
	for _, t := range all {
		word := "holds: "
		if !t.Holds {
			word = "FAILED: "
		}
		list = append(list, Line{t.Condition, word + t.Value})
	}
	return list
}

// Line is a line of the report.
type Line struct{ Name, Text string }

// ErrorLine is a line of the report about one kind of error.
type ErrorLine struct{ Name, Count, Text string }
