package plain

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/samples"
)

// The text of a run is the golden file, at most 100 columns wide.
func TestBenchReportText(t *testing.T) {
	for name, made := range map[string]func() samples.Run{"ten-seconds": samples.TenSeconds, "bad-day": samples.BadDay, "nothing": samples.NothingYet} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			if err := Write(&text, made().Report(), false); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(text.String()) {
				if n := utf8.RuneCountInString(line) - 1; n > 100 || strings.TrimRight(line, " \n")+"\n" != line {
					t.Errorf("%d columns, or spaces at the end: %q", n, line)
				}
			}
			samples.Golden(t, name+".txt", text.Bytes())
		})
	}
}

// On a terminal errors are red.
func TestBenchReportOnATerminalIsPainted(t *testing.T) {
	var text bytes.Buffer
	Write(&text, samples.BadDay().Report(), true)
	if !strings.Contains(text.String(), "\x1b[1;31mERRORS: 2,081 of ") {
		t.Errorf("the errors are not red:\n%.300s", text.String())
	}
}

// Seconds without an answer are reported where there should have been some.
func TestBenchTellsSilences(t *testing.T) {
	made := func(change func(*samples.Run)) *report.Report {
		m := samples.TenSeconds()
		for _, i := range []int{3, 4, 7} {
			m.Result.Seconds[i].Requests = 0
		}
		change(&m)
		return m.Report()
	}
	for name, tc := range map[string]struct {
		change func(*samples.Run)
		want   []report.Outage
	}{
		"a stall":       {func(*samples.Run) {}, []report.Outage{{From: 3.006, To: 5.01}, {From: 7.014, To: 8.016}}},
		"errors came":   {func(m *samples.Run) { m.Result.Seconds[7].Errors = 1 }, []report.Outage{{From: 3.006, To: 5.01}}},
		"no connection": {func(m *samples.Run) { m.Result.Seconds[7].Open = 0 }, []report.Outage{{From: 3.006, To: 5.01}}},
		"a low rate":    {func(m *samples.Run) { m.Cfg.Rate = 2 }, nil},
		"slow answers":  {func(m *samples.Run) { m.Result.Latency.RecordValues(int64(time.Second), 1<<40) }, nil},
	} {
		r := made(tc.change)
		if got := r.Silences(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
		var text bytes.Buffer
		Write(&text, r, false)
		if said := strings.Contains(text.String(), "nothing was answered from 3 s to 5 s, although"); said != (tc.want != nil) {
			t.Errorf("%s:\n%s", name, &text)
		}
	}
}

// The one fastest response does not take the room of all others.
func TestLatencyPlot(t *testing.T) {
	m := samples.TenSeconds()
	m.Result.Latency.RecordValue(1)
	plot := latencyPlot(m.Report())
	if strings.Contains(plot, "ns") || strings.Count(plot, "\n") > plotRows+4 || !strings.Contains(plot, "160 µs") {
		t.Errorf("the plot is\n%s", plot)
	}
}
