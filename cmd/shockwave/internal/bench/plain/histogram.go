package plain

import (
	"math"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// histogramRows is the maximum number of rows of the text histogram.
const histogramRows = 12

// histogramText draws the histogram as text. It returns "" if there are no values.
func histogramText(r *report.Report) string {
	bars := r.Bars(10)
	for _, density := range []int{5, 3, 2, 1} {
		if len(bars) > histogramRows {
			bars = r.Bars(density)
		}
	}
	if len(bars) == 0 {
		return ""
	}
	most, total := int64(0), r.Values.TotalCount()
	for _, b := range bars {
		most = max(most, b.Count)
	}
	const columns = 50
	text := "  latency histogram\n"
	for _, b := range bars {
		line := PadLeft("≤ "+figures.TwoDigits(b.To), labelColumns) + " ┤"
		if b.Count > 0 {
			full := int(math.Round(columns * float64(b.Count) / float64(most)))
			line += strings.Repeat("█", full) + strings.Repeat("▏", max(0, 1-full)) + " " + figures.Percent(b.Count, total)
		}
		text += line + "\n"
	}
	return strings.TrimSuffix(text, "\n")
}
