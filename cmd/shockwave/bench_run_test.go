package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// benched runs the whole command with -json - and returns what it reports. How long it takes is the machine's affair:
// it ends when enough has been answered.
func benched(t *testing.T, code int, args ...string) (r benchReport, text string) {
	t.Helper()
	var out, err bytes.Buffer
	args = append([]string{"bench", "-n", "400", "-c", "4", "-json", "-"}, args...)
	if got := run(args, console{&out, &err}); got != code {
		t.Fatalf("%q: exit code %d, want %d\n%s", args, got, code, &err)
	}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
	}
	return r, err.String()
}

func TestBenchOurServer(t *testing.T) {
	r := startServe(t, serveOptions{})
	got, text := benched(t, 0, "-pipeline", "3", r.url+"/plaintext")
	switch {
	case got.Requests == 0 || got.Requests != got.Statuses[200] || len(got.Statuses) != 1 || got.Errors.total() != 0:
		t.Errorf("%d requests, statuses %v, errors %+v", got.Requests, got.Statuses, got.Errors)
	case got.BytesIn < 100*got.Requests || got.BytesOut < 30*got.Requests:
		t.Errorf("%d bytes in, %d out for %d requests", got.BytesIn, got.BytesOut, got.Requests)
	case got.Latency.Min <= 0 || got.Latency.P50 < got.Latency.Min || got.Latency.Max < got.Latency.P9999:
		t.Errorf("latency %+v", got.Latency)
	case got.Conns != 4 || got.Pipeline != 3 || got.Method != "GET" || got.URL != r.url+"/plaintext":
		t.Errorf("of %s %s with %d × %d", got.Method, got.URL, got.Conns, got.Pipeline)
	}
	wantText(t, "the report", text, "4 connections, 3 in flight on each")
}

// TestBenchCounts: -n sends so many requests and no more, whoever sends them, and also when the server closes connections
// on which more are in flight; -d bounds it.
func TestBenchCounts(t *testing.T) {
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
		{"-n 50 -d 300ms " + s.URL + "/stops", 1, "only 3 of 50 requests were answered"},
	} {
		asked.Store(0)
		got, text := benched(t, tc.code, strings.Fields(tc.args)...)
		wantText(t, tc.args, text, tc.tells)
		if n := got.Requests + got.Errors.total(); tc.code == 0 && n != asked.Load() {
			t.Errorf("%s: %d requests were reported, %d came", tc.args, n, asked.Load())
		}
	}
}

func TestBenchOurServerOverTLS(t *testing.T) {
	r := startServe(t, serveOptions{tls: true})
	if got, _ := benched(t, 0, "-k", r.url+"/plaintext"); got.Statuses[200] == 0 {
		t.Errorf("statuses %v", got.Statuses)
	}
	_, text := benched(t, 1, r.url+"/plaintext")
	wantText(t, "without -k", text, "certificate")
}

func TestBenchKeepsARate(t *testing.T) {
	r := startServe(t, serveOptions{})
	got, text := benched(t, 0, "-rate", "1k", r.url+"/plaintext")
	if sent := got.Requests + got.Unanswered; sent == 0 || float64(sent) > 1000*got.Elapsed+2 {
		t.Errorf("%d requests at 1,000 a second for %v s", sent, got.Elapsed)
	}
	wantText(t, "the report", text, "asked for 1,000/s")
}

func TestBenchSendsWhatItIsGiven(t *testing.T) {
	r := startEcho(t, echoOptions{})
	got, _ := benched(t, 0, "-X", "PUT", "-H", "X-Probe: 1", "-body", "bench_run_test.go", r.url+"/any?q=1")
	if sent := int64(got.BodyBytes); sent == 0 || got.BytesOut < sent*got.Requests || got.Statuses[200] == 0 {
		t.Errorf("%d bytes out for %d bodies of %d, statuses %v", got.BytesOut, got.Requests, sent, got.Statuses)
	}
}

func TestBenchSaysWhatWentWrong(t *testing.T) {
	r := startServe(t, serveOptions{})
	got, text := benched(t, 1, r.url+"/elsewhere")
	if got.Requests != 0 || got.Errors.Status == 0 || got.Errors.Status != got.Statuses[404] {
		t.Errorf("%d requests, errors %+v, statuses %v", got.Requests, got.Errors, got.Statuses)
	}
	wantText(t, "the report", text, "the answer says 4xx or 5xx")
}

// TestBenchPagesThatVary: pages of changing lengths, counted and in chunks, are right with -vary, and only with it; what is
// not whole, or has another status, never is.
func TestBenchPagesThatVary(t *testing.T) {
	var nth atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(nth.Add(1))
		page := strings.Repeat("page ", n%2000)
		switch odd := n%7 == 6; {
		case odd && r.URL.Path == "/cut":
			w.Header().Set("Content-Length", strconv.Itoa(len(page)+1))
		case odd && r.URL.Path == "/else":
			w.WriteHeader(http.StatusAccepted)
		case n%3 == 0:
			w.(http.Flusher).Flush() // no length
		}
		io.WriteString(w, page)
	}))
	defer s.Close()
	if got, _ := benched(t, 0, "-vary", "-pipeline", "3", s.URL); got.Requests == 0 || got.Errors.total() != 0 {
		t.Errorf("%d pages, errors %+v", got.Requests, got.Errors)
	}
	if got, text := benched(t, 1, s.URL); got.Errors.Length == 0 || got.Errors.Length != got.Errors.total() {
		t.Errorf("without -vary: errors %+v\n%s", got.Errors, text)
	}
	got, text := benched(t, 1, "-vary", s.URL+"/cut")
	if got.Requests == 0 || got.Errors.Length == 0 || got.Errors.Length != got.Errors.total() {
		t.Errorf("some cut short: %d pages, errors %+v", got.Requests, got.Errors)
	}
	wantText(t, "some cut short", text, "the body was cut short")
	nth.Store(0) // so that the first has the usual status
	got, text = benched(t, 1, "-vary", s.URL+"/else")
	if e := got.Errors; e.Status == 0 || e.Status != e.total() || e.Status != got.Statuses[202] || got.Requests != got.Statuses[200] {
		t.Errorf("some with another status: statuses %v, errors %+v", got.Statuses, e)
	}
	wantText(t, "some with another status", text, "or has another status than the first")
}

func TestBenchFindsNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, text := benched(t, 1, "-timeout", "50ms", "http://"+l.Addr().String()+"/"); !strings.Contains(text, "refused") {
		t.Errorf("the message is %q", text)
	}
}
