package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/echo"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/serve"
)

// benched runs the whole command with -json - and returns what it reports. How long it takes is the machine's affair:
// it ends when enough has been answered.
func benched(t *testing.T, code int, args ...string) (r report.Report, text string) {
	t.Helper()
	var out, err bytes.Buffer
	args = append([]string{"bench", "-n", "400", "-c", "4", "-timeout", "1m", "-json", "-"}, args...)
	if got := program(args, cli.Console{Out: &out, Err: &err}); got != code {
		t.Fatalf("%q: exit code %d, want %d\n%s", args, got, code, &err)
	}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
	}
	return r, err.String()
}

// A run against our server counts every request.
func TestBenchOurServer(t *testing.T) {
	r := clitest.Serve(t, serve.Options{})
	got, text := benched(t, 0, "-pipeline", "3", r.URL+"/plaintext")
	switch {
	case got.Requests == 0 || got.Requests != got.Statuses[200] || len(got.Statuses) != 1 || got.Errors.Total() != 0:
		t.Errorf("%d requests, statuses %v, errors %+v", got.Requests, got.Statuses, got.Errors)
	case got.BytesIn < 100*got.Requests || got.BytesOut < 30*got.Requests:
		t.Errorf("%d bytes in, %d out for %d requests", got.BytesIn, got.BytesOut, got.Requests)
	case got.Latency.Min <= 0 || got.Latency.P50 < got.Latency.Min || got.Latency.Max < got.Latency.P9999:
		t.Errorf("latency %+v", got.Latency)
	case got.Conns != 4 || got.Pipeline != 3 || got.Method != "GET" || got.URL != r.URL+"/plaintext":
		t.Errorf("of %s %s with %d × %d", got.Method, got.URL, got.Conns, got.Pipeline)
	}
	clitest.WantText(t, "the report", text, "4 connections, 3 in flight on each")
}

// -n sends exactly so many requests, also when the server closes connections, and -d bounds it.
func TestBenchCounts(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := asked.Add(1); {
		case r.URL.Path == "/closes" && n%3 == 0:
			w.Header().Set("Connection", "close")
		case r.URL.Path == "/stops" && n > 3:
			<-r.Context().Done()
		case r.URL.Path == "/fails" && n%5 == 0:
			w.WriteHeader(500)
		}
	}))
	defer s.Close()
	for _, tc := range []struct {
		args  string
		code  int
		tells string
	}{
		{"-n 1 " + s.URL, 0, "; 1 request in "},
		{"-n37 -c 8 " + s.URL, 0, "; 37 requests in "},
		{"-n 37 -c 8 -pipeline 7 " + s.URL, 0, "; 37 requests in "},
		{"-n 37 -rate 1k " + s.URL, 0, "; 37 requests in "},
		{"-n 50 -pipeline 5 " + s.URL + "/closes", 0, "; 50 requests in "},
		{"-n 50 " + s.URL + "/fails", 1, "of 50 requests went wrong"},
		{"-n 50 -d 2s " + s.URL + "/stops", 1, "only 3 of 50 requests were answered"},
	} {
		asked.Store(0)
		got, text := benched(t, tc.code, strings.Fields(tc.args)...)
		clitest.WantText(t, tc.args, text, tc.tells)
		if n := got.Requests + got.Errors.Total(); tc.code == 0 && n != asked.Load() {
			t.Errorf("%s: %d requests were reported, %d came", tc.args, n, asked.Load())
		}
	}
}

// A run over TLS needs -k for a self-signed certificate.
func TestBenchOurServerOverTLS(t *testing.T) {
	r := clitest.Serve(t, serve.Options{Options: clitest.OverTLS})
	if got, _ := benched(t, 0, "-k", r.URL+"/plaintext"); got.Statuses[200] == 0 {
		t.Errorf("statuses %v", got.Statuses)
	}
	_, text := benched(t, 1, r.URL+"/plaintext")
	clitest.WantText(t, "without -k", text, "certificate")
}

// -rate is kept.
func TestBenchKeepsARate(t *testing.T) {
	r := clitest.Serve(t, serve.Options{})
	got, text := benched(t, 0, "-rate", "1k", r.URL+"/plaintext")
	if sent := got.Requests + got.Unanswered; sent == 0 || float64(sent) > 1000*got.Elapsed+2 {
		t.Errorf("%d requests at 1,000 a second for %v s", sent, got.Elapsed)
	}
	clitest.WantText(t, "the report", text, "asked for 1,000/s")
}

// Method, fields and body are sent as given.
func TestBenchSendsWhatItIsGiven(t *testing.T) {
	r := clitest.Serve(t, echo.Options{})
	got, _ := benched(t, 0, "-X", "PUT", "-H", "X-Probe: 1", "-body", "run_test.go", r.URL+"/any?q=1")
	if sent := int64(got.BodyBytes); sent == 0 || got.BytesOut < sent*got.Requests || got.Statuses[200] == 0 {
		t.Errorf("%d bytes out for %d bodies of %d, statuses %v", got.BytesOut, got.Requests, sent, got.Statuses)
	}
}

// Each kind of error is reported under its name.
func TestBenchSaysWhatWentWrong(t *testing.T) {
	r := clitest.Serve(t, serve.Options{})
	got, text := benched(t, 1, r.URL+"/elsewhere")
	if got.Requests != 0 || got.Errors.Status == 0 || got.Errors.Status != got.Statuses[404] {
		t.Errorf("%d requests, errors %+v, statuses %v", got.Requests, got.Errors, got.Statuses)
	}
	clitest.WantText(t, "the report", text, "the answer says 4xx or 5xx")
}

// Pages of changing lengths are right unless -same is given; a body that is cut never is.
func TestBenchPagesThatVary(t *testing.T) {
	var nth atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(nth.Add(1))
		page := strings.Repeat("page ", n%2000)
		switch odd := n%7 == 6; {
		case odd && r.URL.Path == "/cut":
			w.Header().Set("Content-Length", strconv.Itoa(len(page)+1))
		case r.URL.Path == "/else":
			page = "page"
			if odd {
				w.WriteHeader(http.StatusAccepted)
			}
		case n%3 == 0:
			w.(http.Flusher).Flush() // no length
		}
		io.WriteString(w, page)
	}))
	defer s.Close()
	if got, _ := benched(t, 0, "-pipeline", "3", s.URL); got.Requests == 0 || got.Errors.Total() != 0 {
		t.Errorf("%d pages, errors %+v", got.Requests, got.Errors)
	}
	got, text := benched(t, 1, "-same", s.URL)
	if got.Errors.Length == 0 || got.Errors.Length != got.Errors.Total() {
		t.Errorf("with -same: errors %+v", got.Errors)
	}
	clitest.WantText(t, "with -same", text, "the body is longer or shorter than the first (-same)")
	got, text = benched(t, 1, s.URL+"/cut")
	if got.Requests == 0 || got.Errors.Length == 0 || got.Errors.Length != got.Errors.Total() {
		t.Errorf("some cut short: %d pages, errors %+v", got.Requests, got.Errors)
	}
	clitest.WantText(t, "some cut short", text, "the body was cut short")
	if got, _ = benched(t, 0, s.URL+"/else"); got.Statuses[202] == 0 {
		t.Errorf("some with another status: statuses %v", got.Statuses)
	}
	nth.Store(0) // so that the first has the usual status
	got, text = benched(t, 1, "-same", s.URL+"/else")
	if e := got.Errors; e.Status == 0 || e.Status != e.Total() || e.Status != got.Statuses[202] || got.Requests != got.Statuses[200] {
		t.Errorf("some with another status and -same: statuses %v, errors %+v", got.Statuses, e)
	}
	clitest.WantText(t, "some with another status", text, "or has another status than the first (-same)")
}

// Each URL has its own line in the report.
func TestBenchSeveralURLs(t *testing.T) {
	r := clitest.Serve(t, serve.Options{})
	got, text := benched(t, 1, r.URL+"/plaintext", "/connection", "/elsewhere")
	if len(got.URLs) != 3 || got.URLs[1].URL != r.URL+"/connection" || got.URLs[2].Errors == 0 || got.URLs[0].Errors != 0 {
		t.Errorf("by URL: %+v", got.URLs)
	}
	clitest.WantText(t, "the report", text, "/plaintext and 2 more URLs")
	clitest.WantText(t, "the report", text, "   /elsewhere")
}

// The conditions of -fail decide the exit code; with one on errors, other errors do not.
func TestBenchThresholds(t *testing.T) {
	r := clitest.Serve(t, serve.Options{})
	for _, tc := range []struct {
		fail, path string
		code       int
		says       string
	}{
		{"p99<20s,errors<0.1%,requests>=400", "/plaintext", 0, "errors<0.1%   holds: 0 of 400"},
		{"p99.9<1ns", "/plaintext", 1, "p99.9<1ns does not hold"},
		{"min>1h,stdev<1h", "/plaintext", 1, "min>1h does not hold"},
		{"rate>100000k", "/plaintext", 1, "rate>100000k  FAILED"},
		{"errors<60%", "/elsewhere", 0, "errors<60%    holds: "},
		{"errors<10", "/elsewhere", 1, "errors<10 does not hold: "},
		{"max<20s", "/elsewhere", 1, " of 400 requests went wrong"},
	} {
		args := []string{"-fail", tc.fail, r.URL + tc.path}
		if tc.path == "/elsewhere" {
			args = append(args, "/plaintext")
		}
		got, text := benched(t, tc.code, args...)
		clitest.WantText(t, tc.fail, text, tc.says)
		for _, th := range got.Thresholds {
			if !th.Holds && tc.code == 0 || th.Value == "" {
				t.Errorf("%s: %+v", tc.fail, th)
			}
		}
		if len(got.Thresholds) != 1+strings.Count(tc.fail, ",") {
			t.Errorf("%s: %+v", tc.fail, got.Thresholds)
		}
	}
}

// A time without a server is reported as an outage.
func TestBenchTellsAnOutage(t *testing.T) {
	answered := make(chan struct{})
	var once sync.Once
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { once.Do(func() { close(answered) }) })
	first := httptest.NewServer(handler)
	address := first.Listener.Addr().String()
	back := make(chan *httptest.Server, 1)
	go func() {
		<-answered
		first.Listener.Close()
		first.CloseClientConnections()
		first.Close()
		time.Sleep(250 * time.Millisecond) // it is away for so long
		second := httptest.NewUnstartedServer(handler)
		second.Listener.Close()
		var err error
		for end := time.Now().Add(clitest.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if second.Listener, err = net.Listen("tcp", address); err == nil {
				break
			}
		}
		if err != nil {
			close(back)
			return
		}
		second.Start()
		back <- second
	}()
	got, text := benched(t, 1, "-n", "3k", "http://"+address+"/")
	again, ok := <-back
	if !ok {
		t.Skip("somebody else has taken the port")
	}
	again.Close()
	if o := got.Outages; len(o) != 1 || o[0].To-o[0].From < 0.2 || o[0].To > got.Elapsed {
		t.Errorf("outages %+v in %v s", o, got.Elapsed)
	}
	if got.Errors.Connect == 0 {
		t.Errorf("errors %+v", got.Errors)
	}
	clitest.WantText(t, "the report", text, "nothing could be connected from ")
	clitest.WantText(t, "the report", text, " without a connection")
}

// A server that is not there is reported.
func TestBenchFindsNobody(t *testing.T) {
	t.Parallel()
	if _, text := benched(t, 1, "-timeout", "1s", "http://"+clitest.Unused+"/"); !strings.Contains(text, "refused") {
		t.Errorf("the message is %q", text)
	}
}
