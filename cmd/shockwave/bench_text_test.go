package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestBenchReportText(t *testing.T) {
	for name, made := range map[string]func() madeRun{"ten-seconds": tenSeconds, "bad-day": badDay, "nothing": nothingYet} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			if err := made().report().writeText(&text, false); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(text.String()) {
				if n := utf8.RuneCountInString(line) - 1; n > 100 || strings.TrimRight(line, " \n")+"\n" != line {
					t.Errorf("%d columns, or spaces at the end: %q", n, line)
				}
			}
			golden(t, name+".txt", text.Bytes())
		})
	}
}

func TestBenchReportOnATerminalIsPainted(t *testing.T) {
	var text bytes.Buffer
	badDay().report().writeText(&text, true)
	if !strings.Contains(text.String(), "\x1b[1;31mERRORS: 2,081 of ") {
		t.Errorf("the errors are not red:\n%.300s", text.String())
	}
}

// TestBenchTellsSilences: seconds without an answer are told where there should have been some.
func TestBenchTellsSilences(t *testing.T) {
	made := func(change func(*madeRun)) *benchReport {
		m := tenSeconds()
		for _, i := range []int{3, 4, 7} {
			m.result.Seconds[i].Requests = 0
		}
		change(&m)
		return m.report()
	}
	for name, tc := range map[string]struct {
		change func(*madeRun)
		want   []benchOutage
	}{
		"a stall":       {func(*madeRun) {}, []benchOutage{{3.006, 5.01}, {7.014, 8.016}}},
		"errors came":   {func(m *madeRun) { m.result.Seconds[7].Errors = 1 }, []benchOutage{{3.006, 5.01}}},
		"no connection": {func(m *madeRun) { m.result.Seconds[7].Open = 0 }, []benchOutage{{3.006, 5.01}}},
		"a low rate":    {func(m *madeRun) { m.cfg.Rate = 2 }, nil},
		"slow answers":  {func(m *madeRun) { m.result.Latency.RecordValues(int64(time.Second), 1<<40) }, nil},
	} {
		r := made(tc.change)
		if got := r.silences(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
		var text bytes.Buffer
		r.writeText(&text, false)
		if said := strings.Contains(text.String(), "nothing was answered from 3 s to 5 s, although"); said != (tc.want != nil) {
			t.Errorf("%s:\n%s", name, &text)
		}
	}
}

// TestLatencyPlot: one fastest answer does not take the room of all others.
func TestLatencyPlot(t *testing.T) {
	m := tenSeconds()
	m.result.Latency.RecordValue(1)
	plot := m.report().latencyPlot()
	if strings.Contains(plot, "ns") || strings.Count(plot, "\n") > plotRows+4 || !strings.Contains(plot, "160 µs") {
		t.Errorf("the plot is\n%s", plot)
	}
}
