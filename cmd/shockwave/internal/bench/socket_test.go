package bench

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/series"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/serve"
	"github.com/shockwave-go/shockwave/streamsock"
)

// boundSocket is a routing-id socket that is listened on at each of the transports, and their URLs.
func boundSocket(t *testing.T, cfg streamsock.Config, transports ...string) (urls []string) {
	t.Helper()
	var err error
	if cfg.TLSConfig, err = certs.SelfSigned(true); err != nil {
		t.Fatal(err)
	}
	s := streamsock.New(cfg)
	t.Cleanup(func() { s.Shutdown(t.Context()) })
	for _, transport := range transports {
		urls = append(urls, transport+"://127.0.0.1:0")
	}
	if urls, err = s.Bind(urls...); err != nil {
		t.Fatal(err)
	}
	return urls
}

// sendsBack is a callback that sends every message back.
func sendsBack(m streamsock.Message) {
	if !m.Kind.IsEvent() {
		_ = m.Reply(m.Data)
	}
}

var everyTransport = []string{"tcp", "tls", "ws", "wss"}

// Messages come back over every transport.
func TestBenchSockets(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg        streamsock.Config
		transports []string
		args, says string
	}{
		"one at a time":    {streamsock.Config{}, everyTransport, "-k", "messages of 64 B"},
		"pipelined":        {streamsock.Config{}, everyTransport, "-k -pipeline 16 -size 200", "16 in flight on each, "},
		"large":            {streamsock.Config{}, everyTransport, "-k -n 24 -size 300k", "messages of 293.0 KiB"},
		"empty":            {streamsock.Config{}, everyTransport, "-k -size 0", "messages of 0 B"},
		"prefixed":         {streamsock.Config{Framing: streamsock.FramingPrefixed}, []string{"ws", "wss"}, "-k -prefixed -pipeline 16", "prefixed messages of 64 B"},
		"prefixed, large":  {streamsock.Config{Framing: streamsock.FramingPrefixed}, []string{"ws"}, "-n 24 -prefixed -size 300k", "prefixed messages of 293.0 KiB"},
		"prefixed and tcp": {streamsock.Config{Framing: streamsock.FramingPrefixed}, []string{"tcp", "ws"}, "-prefixed", "prefixed messages of 64 B"},
		"text":             {streamsock.Config{Text: true}, []string{"ws"}, "-text", "text messages of 64 B"},
		"with a rate":      {streamsock.Config{}, []string{"tcp", "ws"}, "-n 50 -rate 1k -pipeline 4", "asked for 1,000/s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.cfg.OnMessage = sendsBack
			urls := boundSocket(t, tc.cfg, tc.transports...)
			list, text := benchedInTurn(t, 0, append(strings.Fields(tc.args), urls...)...)
			if len(list) != len(urls) {
				t.Fatalf("%d reports for %q", len(list), urls)
			}
			for i, r := range list {
				if r.Requests == 0 || r.Errors.Total() != 0 || r.URL != urls[i] || r.Latency.P50 <= 0 || r.OneWay != nil {
					t.Errorf("%s: %d messages, errors %+v, latency %+v", r.URL, r.Requests, r.Errors, r.Latency)
				}
			}
			for _, want := range append(urls, tc.says, "echoed as they were sent", " of CPU a message") {
				clitest.WantText(t, "the report", text, want)
			}
		})
	}
}

// benchedInTurn is benched for several sockets, or one.
func benchedInTurn(t *testing.T, code int, args ...string) (list []*report.Report, text string) {
	t.Helper()
	var out, err bytes.Buffer
	args = append([]string{"bench", "-n", "400", "-c", "4", "-timeout", "1m", "-json", "-"}, args...)
	if got := program(args, cli.Console{Out: &out, Err: &err}); got != code {
		t.Fatalf("%q: exit code %d, want %d\n%s", args, got, code, &err)
	}
	if b := bytes.TrimSpace(out.Bytes()); len(b) > 0 && b[0] != '[' {
		out.Reset()
		out.WriteString("[" + string(b) + "]")
	}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
	}
	return list, err.String()
}

// All one-way messages have been read when the run is over, on every transport.
func TestBenchOneWay(t *testing.T) {
	for _, args := range []string{"-k", "-k -size 100k -n 50", "-k -rate 2k -n 100", "-k -pipeline 1"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			var read atomic.Int64
			urls := boundSocket(t, streamsock.Config{OnMessage: func(m streamsock.Message) {
				if !m.Kind.IsEvent() {
					read.Add(1)
				}
			}}, everyTransport...)
			list, text := benchedInTurn(t, 0, append(append([]string{"-one-way"}, strings.Fields(args)...), urls...)...)
			sent := int64(0)
			for _, r := range list {
				sent += r.Requests
				if w := r.OneWay; w == nil || w.Conns != 4 || w.Confirmed != 4 || w.Parting > r.Elapsed || r.Errors.Total() != 0 {
					t.Errorf("%s: one way %+v, errors %+v", r.URL, w, r.Errors)
				}
			}
			if len(list) != 4 || sent != read.Load() || sent < 200 {
				t.Errorf("%d messages have left, %d were read", sent, read.Load())
			}
			clitest.WantText(t, "the report", text, "have left; the other side had read them all ")
			clitest.WantText(t, "the report", text, "nobody says when ")
		})
	}
}

// The table has a row for each socket, also for one that cannot be reached.
func TestBenchSocketsSideBySide(t *testing.T) {
	t.Parallel()
	urls := boundSocket(t, streamsock.Config{OnMessage: sendsBack}, "tcp", "ws")
	quiet := boundSocket(t, streamsock.Config{OnMessage: func(streamsock.Message) {}}, "tcp")
	file := filepath.Join(t.TempDir(), "report.html")
	args := []string{"-html", file, "-timeout", "2s", "-d", "10s", "-n", "8"}
	list, text := benchedInTurn(t, 1, append(args, urls[0], "tls"+strings.TrimPrefix(urls[1], "ws"), quiet[0], urls[1])...)
	if len(list) != 3 || list[0].URL != urls[0] || list[1].Errors.Timeout == 0 || list[1].Requests != 0 || list[2].Requests == 0 {
		t.Fatalf("%d reports\n%s", len(list), text)
	}
	_, table, _ := strings.Cut(text, series.Title)
	for _, want := range []string{
		`messages/s +payload/s +p50 +p99 +CPU each +errors\n`, `tcp://127\S+ +[\d,.]+ +[\d.]+ \wi?B +[\d.]+ .s +[\d.]+ .s +[\d.]+ .s +0\n`,
		`tls://\S+ +no connection to .+ could be opened: `, `tcp://\S+ +0 +0 B +– +– +– +8\n`, `shockwave: tls://.+: load: no connection`,
		quiet[0] + `: nothing was answered as expected; 8 errors`,
	} {
		if !regexp.MustCompile(want).MatchString(table) {
			t.Errorf("no line like %q in\n%s", want, table)
		}
	}
	for _, line := range strings.Split(table, "\n") {
		if strings.HasPrefix(line, "  tcp") && len([]rune(line)) > 100 {
			t.Errorf("a row of %d columns: %q", len([]rune(line)), line)
		}
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wantPage(t, string(page), "4 sockets under load", series.Title, urls[0], urls[1], quiet[0], "could be opened", "To run it again")
	if n := strings.Count(string(page), "<h1>"); n != 4 {
		t.Errorf("%d titles on the page, want its own and those of 3 runs", n)
	}
}

// wantPage wants a page that is well-formed and says all of these.
func wantPage(t *testing.T, page string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(html.UnescapeString(page), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	page = strings.Replace(page, "<!doctype html>", "", 1)
	page = regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`).ReplaceAllString(page, "")
	page = regexp.MustCompile(`<((?:meta|link)[^>]*)>`).ReplaceAllString(page, "<$1/>")
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A wrong echo is an error, and so is a peer that speaks another protocol.
func TestBenchSocketsFindsWhatIsWrong(t *testing.T) {
	var nth atomic.Int64
	urls := boundSocket(t, streamsock.Config{OnMessage: func(m streamsock.Message) {
		if m.Kind.IsEvent() {
			return
		}
		p := bytes.Clone(m.Data)
		switch nth.Add(1) {
		case 10:
			p[len(p)-1] ^= 1
		case 20:
			p = p[1:]
		}
		_ = m.Reply(p)
	}}, "tcp")
	list, text := benchedInTurn(t, 1, urls...)
	if e := list[0].Errors; e.Content != 1 || e.Length != 1 || e.Total() != 2 {
		t.Errorf("errors %+v", e)
	}
	clitest.WantText(t, "the report", text, "the echo is not what was sent")
	clitest.WantText(t, "the report", text, "the echo is longer or shorter than what was sent")
	page := clitest.Serve(t, serve.Options{})
	list, text = benchedInTurn(t, 1, "-n", "20", "tcp://"+page.Addr)
	if e := list[0].Errors; list[0].Requests != 0 || e.Total() == 0 || e.Total() != e.Protocol+e.Closed {
		t.Errorf("an HTTP server: %d messages, errors %+v", list[0].Requests, e)
	}
	clitest.WantText(t, "the report", text, "what came is no message")
	refuses := boundSocket(t, streamsock.Config{OnMessage: sendsBack, MaxMessage: 10}, "ws")
	list, _ = benchedInTurn(t, 1, "-n", "20", refuses[0])
	if e := list[0].Errors; list[0].Requests != 0 || e.Total() == 0 || e.Total() != e.Closed {
		t.Errorf("who takes no such messages: errors %+v", e)
	}
}

// Two reports are compared, and lists of reports are refused.
func TestBenchComparesSockets(t *testing.T) {
	urls := boundSocket(t, streamsock.Config{OnMessage: sendsBack}, "tcp", "ws")
	dir := t.TempDir()
	var files []string
	var out, err bytes.Buffer
	bench := func(file string, urls ...string) {
		if code := program(append([]string{"bench", "-quiet", "-c", "2", "-n", "20", "-json", file}, urls...), cli.Console{Out: &out, Err: &err}); code != 0 {
			t.Errorf("exit code %d: %s", code, &err)
		}
	}
	for _, u := range urls {
		files = append(files, filepath.Join(dir, u[:2]+".json"))
		bench(files[len(files)-1], u)
	}
	both := filepath.Join(dir, "both.json")
	bench(both, urls...)
	if code := program(append([]string{"bench", "compare"}, files...), cli.Console{Out: &out, Err: &err}); code != 0 {
		t.Errorf("exit code %d: %s", code, &err)
	}
	clitest.WantText(t, "the comparison", out.String(), ".json: "+urls[0])
	clitest.WantText(t, "the comparison", out.String(), "protocol tcp and WebSocket")
	clitest.WantText(t, "the comparison", out.String(), "generator a message")
	if code := program([]string{"bench", "compare", both, files[0]}, cli.Console{Out: &out, Err: &err}); code != 1 {
		t.Errorf("exit code %d", code)
	}
	clitest.WantText(t, "two lists", err.String(), "holds the reports of several runs")
}
