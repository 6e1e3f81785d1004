package page

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/samples"
)

func pageOf(t *testing.T, made func() samples.Run) string {
	t.Helper()
	var page bytes.Buffer
	if err := Write(&page, made().Report()); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// The page has the figures, the errors and the charts of a run.
func TestBenchPageHoldsTheFigures(t *testing.T) {
	for name, tc := range map[string]struct {
		made         func() samples.Run
		wants, never []string
	}{
		"ten seconds": {samples.TenSeconds, []string{
			"<h1><small>GET</small> http://127.0.0.1:8080/plaintext</h1>", "96,950", "<td>1.10 ms</td>", "<td>5.51 ms</td>",
			"969,500 answered as expected", "9.28 µs of CPU a request", "Requests per second", "Latency over time",
			"Latency by percentile", "How many took how long", "first byte", "stdev", "p99.99", "shockwave bench -c 64 -d 10s", "22 November 2026, 10:30 UTC", "shockwave v1.2.3 go1.26.8",
		}, []string{"went wrong", "was due", "By URL", "What was asked for", "class=\"band\""}},
		"bad day": {samples.BadDay, []string{
			"2,081 of 971,581 requests went wrong", "1,333 status", "this machine or the server is too slow",
			"it was the bottleneck", "From the moment a request was due, not", "<title>A bad day</title>", "<h1>A bad day</h1>",
			"after the change", "on one core", "nothing could be connected from 3 s to 3.7 s: 0.7 s of 10 s", "class=\"band\"",
			"By URL", "/other/long", "p99<1ms", "FAILED", "1.10 ms",
		}, []string{"resident"}},
		"nothing": {samples.NothingYet, []string{"ended before counting began"}, []string{"<figure>", "NaN", "Inf"}},
	} {
		page := pageOf(t, tc.made)
		text := html.UnescapeString(page)
		for _, want := range tc.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page does not say %q", name, want)
			}
		}
		for _, never := range append(tc.never, "ZgotmplZ", "%!") {
			if strings.Contains(page, never) {
				t.Errorf("%s: the page says %q", name, never)
			}
		}
	}
}

// The page escapes what the command line says.
func TestBenchPageEscapes(t *testing.T) {
	m := samples.TenSeconds()
	m.Command = "shockwave bench -H 'X: <script>alert(1)</script>' http://h/"
	var page bytes.Buffer
	if err := Write(&page, m.Report()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "<script>alert") {
		t.Error("a header field became a script")
	}
}

// The page loads nothing from elsewhere.
func TestBenchPageStandsAlone(t *testing.T) {
	page := pageOf(t, samples.BadDay)
	for _, outside := range []string{`src=`, `href="http`, `href="/`, "@import", "url(", "fetch(", "import("} {
		if strings.Contains(page, outside) {
			t.Errorf("the page refers to something outside of it: %s", outside)
		}
	}
	if !strings.Contains(page, `content="default-src 'none'; `) {
		t.Error("the page does not forbid itself the network")
	}
}

// The page is well-formed: every element that is not void is closed where it was opened.
func TestBenchPageParses(t *testing.T) {
	script := regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`)
	void := regexp.MustCompile(`<((?:meta|link)[^>]*)>`)
	for _, made := range []func() samples.Run{samples.TenSeconds, samples.BadDay, samples.NothingYet} {
		page := strings.Replace(pageOf(t, made), "<!doctype html>", "", 1)
		page = void.ReplaceAllString(script.ReplaceAllString(page, ""), "<$1/>")
		d := xml.NewDecoder(strings.NewReader(page))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Curves stay in the box of their chart, and readings on its axis.
func TestBenchPageDrawsInsideItsBoxes(t *testing.T) {
	page := html.UnescapeString(pageOf(t, samples.TenSeconds))
	paths := regexp.MustCompile(`<path class="(?:wave|warm)" d="M([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(paths) != 5 {
		t.Errorf("%d curves, want rate, p50, p99, latency by percentile and the histogram", len(paths))
	}
	for _, p := range paths {
		for at := range strings.SplitSeq(p[1], "L") {
			xs, ys, _ := strings.Cut(at, " ")
			x, errX := strconv.ParseFloat(xs, 64)
			y, errY := strconv.ParseFloat(ys, 64)
			if errX != nil || errY != nil || x < 0 || x > chartWidth || y < 0 || y > chartHeight {
				t.Errorf("the point %q is outside", at)
			}
		}
	}
	for _, m := range regexp.MustCompile(`data-readings="(\[.*?\])">`).FindAllStringSubmatch(page, -1) {
		var readings []reading
		if err := json.Unmarshal([]byte(m[1]), &readings); err != nil {
			t.Fatal(err)
		}
		for _, r := range readings {
			if r.At < 0 || r.At > 100 || r.Text == "" {
				t.Errorf("the reading %+v is outside", r)
			}
		}
	}
}
