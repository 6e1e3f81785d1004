package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/meter"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/plain"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/echo"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// Runs over HTTP/2 succeed and are reported as such.
func TestBenchHTTP2(t *testing.T) {
	for name, tc := range map[string]struct {
		opt  echo.Options
		args string
		path string
		says string
	}{
		"one stream":       {echo.Options{Native: true}, "", "/plaintext", "4 connections of HTTP/2, 1 stream at once on each"},
		"streams":          {echo.Options{Native: true}, "-m 50", "/plaintext", "50 streams at once on each"},
		"net/http's types": {echo.Options{}, "-m 20", "/any", "20 streams at once on each"},
		"more than taken":  {echo.Options{Native: true}, "-m 1k", "/any", "the server takes 250 at once on a connection, -m asks for 1,000"},
		"TLS":              {echo.Options{Native: true, Options: clitest.OverTLS}, "-k -m 8", "/any", "8 streams at once on each"},
		"a body":           {echo.Options{Native: true}, "-m 5 -data hello -same", "/any", "5 B sent with each"},
		"large answers":    {echo.Options{}, "-m 5 -n 40 -same", "/big?n=500000", "5 streams"},
		"HEAD":             {echo.Options{}, "-m 5 -X HEAD", "/any", "5 streams"},
		"with a rate":      {echo.Options{Native: true}, "-m 5 -rate 1k", "/any", "asked for 1,000/s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := clitest.Serve(t, tc.opt)
			got, text := benched(t, 0, append(strings.Fields("-h2 "+tc.args), r.URL+tc.path)...)
			wantGood(t, &got)
			switch {
			case got.HTTP2 == nil || got.HTTP2.MaxStreams != 250:
				t.Errorf("of HTTP/2: %+v", got.HTTP2)
			}
			clitest.WantText(t, "the report", text, tc.says)
		})
	}
}

// wantGood wants a run in which requests were answered, and nothing went wrong.
func wantGood(t *testing.T, got *report.Report) {
	t.Helper()
	switch {
	case got.Requests < 40 || got.Errors.Total() != 0 || got.Requests != got.Statuses[200]:
		t.Errorf("%d requests, statuses %v, errors %+v", got.Requests, got.Statuses, got.Errors)
	case got.Latency.P50 <= 0 || got.BytesIn == 0 || got.BytesOut == 0:
		t.Errorf("%d bytes in, %d out, latency %+v", got.BytesIn, got.BytesOut, got.Latency)
	}
}

// The flags about HTTP/2 are checked.
func TestBenchHTTP2Flags(t *testing.T) {
	for args, want := range map[string]string{
		"-h2 -pipeline 4 h":            "-pipeline is about HTTP/1.1 and WebSocket; with -h2 and -h3 it is -m",
		"-m 4 h":                       "-m is about the streams of HTTP/2 and HTTP/3, and wants -h2 or -h3",
		"-h2 -m 0 h":                   "-m wants at least 1",
		"-h2 ws://h/":                  "-h2 is about requests",
		"-h2 -H Connection:close h":    "-H Connection is about a connection of HTTP/1.1",
		"-h2 -H upgrade:x https://h/":  "-H Upgrade is about a connection of HTTP/1.1",
		"-h2 -H Keep-Alive:1 h":        "there is no such field",
		"-h2 -size 5 h":                "-size is about messages",
		"-h2 -H transfer-encoding:x h": "-H Transfer-Encoding",
	} {
		var out, err bytes.Buffer
		if code := program(append([]string{"bench"}, strings.Fields(args)...), cli.Console{Out: &out, Err: &err}); code != 2 {
			t.Errorf("bench %s: exit code %d", args, code)
		}
		clitest.WantText(t, "bench "+args, err.String(), want)
	}
	opt := parsed(t, "-h2", "-m", "100", "-c2", "http://h/")
	if !opt.cfg.HTTP2 || opt.cfg.Pipeline != 100 || opt.command != "shockwave bench -c 2 -h2 -m 100 http://h/" {
		t.Errorf("%+v", opt)
	}
}

// The report has the codes of GOAWAY and RST_STREAM, as text and as JSON.
func TestBenchHTTP2Told(t *testing.T) {
	opt := parsed(t, "-h2", "-m", "100", "http://h/")
	r := reportFor(opt, &account.Result{
		Errors: account.Errors{Reset: 1003, Protocol: 1},
		Streams: &account.Streams{
			MaxStreams: 10, Words: "calm", Fault: "http2: a fault (PROTOCOL_ERROR, RFC 9113 §8)",
			GoAways: map[string]int64{"ENHANCE_YOUR_CALM": 1, "NO_ERROR": 7},
			Resets:  map[string]int64{"CANCEL": 3, "REFUSED_STREAM": 1000},
		},
	}, meter.Usage{})
	var text, data bytes.Buffer
	if err := plain.Write(&text, r, false); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&data); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"the server takes 10 at once on a connection, -m asks for 100",
		`7 × NO_ERROR, 1 × ENHANCE_YOUR_CALM from the server: "calm"`,
		"the server reset the stream: 1,000 × REFUSED_STREAM, 3 × CANCEL",
		"the answer breaks the rules of HTTP/2: a fault (PROTOCOL_ERROR, RFC 9113 §8)",
	} {
		clitest.WantText(t, "the report", text.String(), want)
	}
	for _, want := range []string{`"max_concurrent_streams": 10`, `"CANCEL": 3`, `"goaway_words": "calm"`, `"reset": 1003`} {
		clitest.WantText(t, "the JSON", data.String(), want)
	}
	if r.Protocol() != "HTTP/2" {
		t.Errorf("the protocol is %s", r.Protocol())
	}
}
