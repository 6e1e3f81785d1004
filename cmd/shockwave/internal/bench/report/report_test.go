package report_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/samples"
)

// The JSON of a run is the golden file.
func TestBenchReportJSON(t *testing.T) {
	var text bytes.Buffer
	if err := samples.TenSeconds().Report().WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	samples.Golden(t, "ten-seconds.json", text.Bytes())
	text.Reset()
	if err := samples.NothingYet().Report().WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	samples.Golden(t, "nothing.json", text.Bytes())
}

// The members of the JSON keep their names.
func TestBenchReportJSONShape(t *testing.T) {
	var text bytes.Buffer
	samples.TenSeconds().Report().WriteJSON(&text)
	var whole map[string]any
	if err := json.Unmarshal(text.Bytes(), &whole); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"": "body_bytes bytes_in bytes_out connecting_s conns cpu_s date elapsed_s errors histogram late latency_us method " +
			"outages parts_us pipeline rate reconnects requests requests_per_s seconds statuses target unanswered unsent url version",
		"errors":     "closed connect content length protocol reset status timeout",
		"histogram":  "count from_us to_us",
		"latency_us": "max mean min p50 p75 p90 p99 p99_9 p99_99 stdev",
		"parts_us":   "connect first_byte",
		"cpu_s":      "system user",
		"target":     "kernel_instructions pid rss_bytes system_s user_instructions user_s",
		"seconds":    "at_s errors open p50_us p99_us requests",
	} {
		part := any(whole)
		if path != "" {
			part = whole[path]
		}
		if list, ok := part.([]any); ok {
			part = list[0]
		}
		var names []string
		for name := range part.(map[string]any) {
			names = append(names, name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q has the members\n%s\nwant\n%s", path, got, want)
		}
	}
}

// Each response is in one bar, and the bars have no gaps.
func TestBenchHistogramIsWhole(t *testing.T) {
	r := samples.TenSeconds().Report()
	for _, density := range []int{10, 5, 3, 2, 1} {
		bars, sum := r.Bars(density), int64(0)
		for i, b := range bars {
			if sum += b.Count; b.From >= b.To || i > 0 && b.From != bars[i-1].To {
				t.Errorf("%d columns in ten: %v follows %v", density, b, bars[max(0, i-1)])
			}
		}
		last := bars[len(bars)-1]
		if sum != r.Requests || bars[0].From > r.Latency.Min || last.To < r.Latency.Max || last.Count == 0 {
			t.Errorf("%d columns in ten: %d answers from %v to %v", density, sum, bars[0].From, last.To)
		}
	}
}
