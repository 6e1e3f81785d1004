package server_test

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// fields reads a response and returns the lines of its head.
func (k *h2Talk) fields() []string {
	k.t.Helper()
	k.Conn.SetReadDeadline(time.Now().Add(k.Timeout))
	f, err := k.Framer.ReadFrame()
	if err != nil {
		k.t.Fatal(err)
	}
	h, ok := f.(*http2.MetaHeadersFrame)
	if !ok {
		k.t.Fatalf("got %v, want HEADERS", f)
	}
	var all []string
	for _, l := range h.Fields {
		all = append(all, l.Name+": "+l.Value)
	}
	if !h.StreamEnded() {
		if s, err := k.Next(); err != nil || !strings.HasSuffix(s, " END") {
			k.t.Fatal(s, err)
		}
	}
	return all
}

// A response has the server's own fields, unless the handler has set them. Names are in lower case.
func TestH2HeadFields(t *testing.T) {
	const today = "date: now"
	long := strings.Repeat("X-Long-", 30)
	for name, tc := range map[string]struct {
		cfg    server.Config
		handle func(w *server.ResponseWriter)
		want   []string
	}{
		"nothing":       {handle: func(w *server.ResponseWriter) {}, want: []string{today, "content-length: 0"}},
		"a name":        {server.Config{ServerName: "s"}, func(w *server.ResponseWriter) {}, []string{today, "server: s", "content-length: 0"}},
		"another name":  {server.Config{ServerName: "s"}, func(w *server.ResponseWriter) { w.Header().Set("Server", "h") }, []string{today, "content-length: 0", "server: h"}},
		"the handler's": {handle: func(w *server.ResponseWriter) { w.Header().Set("Server", "h") }, want: []string{today, "content-length: 0", "server: h"}},
		"another date":  {handle: func(w *server.ResponseWriter) { w.Header().Set("Date", "x") }, want: []string{"content-length: 0", "date: x"}},
		"no date":       {handle: func(w *server.ResponseWriter) { w.Header().Set("Date", "") }, want: []string{"content-length: 0"}},
		"a type":        {handle: func(w *server.ResponseWriter) { w.WriteBody("a/b", nil) }, want: []string{today, "content-length: 0", "content-type: a/b"}},
		"the handler's type": {handle: func(w *server.ResponseWriter) {
			w.Header().Set("Content-Type", "c/d")
			w.WriteString("x")
		}, want: []string{today, "content-length: 1", "content-type: c/d"}},
		"a type in place of the handler's": {handle: func(w *server.ResponseWriter) {
			w.Header().Set("Content-Type", "c/d")
			w.WriteBody("a/b", []byte("x"))
		}, want: []string{today, "content-length: 1", "content-type: a/b"}},
		"a type that is found out": {handle: func(w *server.ResponseWriter) {
			w.SniffType()
			w.WriteString("<html>")
		}, want: []string{today, "content-length: 6", "content-type: text/html; charset=utf-8"}},
		"a length": {handle: func(w *server.ResponseWriter) {
			w.Header().Set("Content-Length", "1")
			w.WriteString("x")
		}, want: []string{today, "content-length: 1"}},
		"no length": {handle: func(w *server.ResponseWriter) { w.Flush() }, want: []string{today}},
		"names": {handle: func(w *server.ResponseWriter) {
			w.Header().Set(long, "1")
			w.Header().Set("AZaz-[", "left out")
			w.Header().Set("AZaz-^_`", "2")
		}, want: []string{today, "content-length: 0", strings.ToLower(long) + ": 1", "azaz-^_`: 2"}},
		"of other lengths": {handle: func(w *server.ResponseWriter) {
			w.Header().Set("Upgrad3", "1")
			w.Header().Set("Keep-Alike", "2")
			w.Header().Set("Proxy-Connections", "3")
			w.Header().Set("Proxy-Connectiox", "4")
		}, want: []string{today, "content-length: 0", "upgrad3: 1", "keep-alike: 2", "proxy-connections: 3", "proxy-connectiox: 4"}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.cfg.Handler = server.HandlerFunc(func(w *server.ResponseWriter, _ *server.Request) { tc.handle(w) })
			k := start(t, tc.cfg).h2(t)
			for id := uint32(1); id < 6; id += 2 { // and in the table, where there is one
				k.get(id, "/")
				got := k.fields()
				want := append([]string{":status: 200"}, tc.want...)
				for i := range got {
					if at, ok := strings.CutPrefix(got[i], "date: "); ok && at != "x" {
						if _, err := time.Parse(time.RFC1123, at); err != nil {
							t.Error(err)
						}
						got[i] = today
					}
				}
				if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
					t.Errorf("got %q\nwant %q", got, want)
				}
			}
		})
	}
}

// The log says which field was not sent and which request was refused.
func TestH2TellsTheLog(t *testing.T) {
	var log journal
	f := start(t, server.Config{Logger: log.logger(), Handler: server.HandlerFunc(h2Answers), MaxTargetBytes: 10})
	k := f.h2(t)
	k.get(1, "/fields")
	k.Want("HEADERS 1 200 x-upper=1", `DATA 1 "fields" END`)
	k.get(3, "/0123456789")
	k.Want("HEADERS 3 414 content-length=24"+asText, `DATA 3 "request-target too long\n" END`)
	for _, want := range []string{`not sent" name="Bad Name"`, `not sent" name=X-Bad`, "request refused\" status=414"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in\n%s", want, log.String())
		}
	}
}

// Status 101 is sent as 500 on HTTP/2 (RFC 9113 §8.6).
func TestH2Answers101(t *testing.T) {
	var log journal
	f := start(t, server.Config{Logger: log.logger(), Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.SetStatus(101)
	})})
	k := f.h2(t)
	k.get(1, "/")
	k.Want("HEADERS 1 500 END")
	if !strings.Contains(log.String(), "sent status 101") {
		t.Error(log.String())
	}
}

// A response that would end a connection of HTTP/1.1 sends GOAWAY over HTTP/2.
func TestH2LastAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg    server.Config
		handle func(w *server.ResponseWriter)
		first  bool // the first response is the last
	}{
		"nothing":             {handle: func(w *server.ResponseWriter) {}},
		"CloseAfter":          {handle: (*server.ResponseWriter).CloseAfter, first: true},
		"Connection: close":   {handle: func(w *server.ResponseWriter) { w.Header().Set("Connection", "x, close") }, first: true},
		"Connection: else":    {handle: func(w *server.ResponseWriter) { w.Header().Set("Connection", "keep-alive") }},
		"DisableKeepAlive":    {server.Config{DisableKeepAlive: true}, func(w *server.ResponseWriter) {}, true},
		"so many requests: 1": {server.Config{MaxKeepAliveRequests: 1}, func(w *server.ResponseWriter) {}, true},
		"so many requests: 2": {server.Config{MaxKeepAliveRequests: 2}, func(w *server.ResponseWriter) {}, false},
		"any number":          {server.Config{MaxKeepAliveRequests: -1}, func(w *server.ResponseWriter) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			tc.cfg.Handler = server.HandlerFunc(func(w *server.ResponseWriter, _ *server.Request) { tc.handle(w) })
			k := start(t, tc.cfg).h2(t)
			k.get(1, "/")
			k.Want("HEADERS 1 200 content-length=0 END")
			if !tc.first {
				k.WantIdle()
				k.get(3, "/")
				k.Want("HEADERS 3 200 content-length=0 END")
			}
			if !tc.first && tc.cfg.MaxKeepAliveRequests != 2 {
				k.WantIdle()
				return
			}
			k.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
			k.get(5, "/") // it was sent before GOAWAY arrived
			k.Want("HEADERS 5 200 content-length=0 END")
			k.Framer.WritePing(true, [8]byte{0: 0x80, 7: 2})
			k.Want("GOAWAY 5 NO_ERROR")
			k.wantEOF()
		})
	}
}

// A response that is known to be complete ends its stream at once, not when its handler returns.
func TestH2EndsWithTheLastByte(t *testing.T) {
	free := make(chan struct{})
	onH2Ways(t, server.Config{Logger: slog.New(slog.DiscardHandler), Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/length":
			w.SetContentLength(5)
			w.WriteString("hel")
			w.Flush()
			w.WriteString("lo")
		case "/large":
			w.SetContentLength(9000)
			w.WriteString(strings.Repeat("a", 3000))
			w.WriteString(strings.Repeat("b", 6000))
		case "/nothing":
			w.SetContentLength(0)
		case "/none":
			w.SetStatus(204)
		case "/announced":
			w.SetContentLength(2)
			w.Header().Set("Trailer", "x-a")
			w.WriteString("ab")
			w.Flush()
			w.Trailer().Set("X-A", "1")
			return
		case "/late":
			w.SetContentLength(2)
			w.WriteString("ab")
			w.Flush()
			w.Trailer().Set("X-A", "1") // no goroutine has waited for it
			return
		case "/short":
			w.SetContentLength(3)
			w.Header().Set("Trailer", "x-a")
			w.WriteString("ab")
			w.Trailer().Set("X-A", "1")
			return
		case "/empty":
			w.Trailer().Set("X-A", "1")
			return
		}
		w.Flush()
		<-free
	})}, func(t *testing.T, _ *fixture, k *h2Talk) {
		free = make(chan struct{})
		k.get(1, "/length")
		k.Want("HEADERS 1 200 content-length=5", `DATA 1 "hel"`, `DATA 1 "lo" END`)
		k.get(3, "/large")
		k.Want("HEADERS 3 200 content-length=9000", "DATA 3 3000 bytes", "DATA 3 6000 bytes END")
		k.get(5, "/nothing")
		k.Want("HEADERS 5 200 content-length=0 END")
		k.get(7, "/none")
		k.Want("HEADERS 7 204 END")
		k.headers(9, true, request("HEAD", "/length")...)
		k.Want("HEADERS 9 200 content-length=5 END")
		k.headers(11, true, request("HEAD", "/streamed")...)
		k.Want("HEADERS 11 200 END")
		k.get(13, "/announced")
		k.Want("HEADERS 13 200 content-length=2 trailer=x-a", `DATA 13 "ab"`, "HEADERS 13 x-a=1 END")
		k.headers(15, true, request("HEAD", "/announced")...)
		k.Want("HEADERS 15 200 content-length=2 trailer=x-a END")
		k.get(17, "/late")
		k.Want("HEADERS 17 200 content-length=2", `DATA 17 "ab" END`)
		k.get(19, "/short")
		k.Want("HEADERS 19 200 content-length=3 trailer=x-a", `DATA 19 "ab"`, "RST_STREAM 19 INTERNAL_ERROR")
		k.get(21, "/empty")
		k.Want("HEADERS 21 200", "HEADERS 21 x-a=1 END")
		k.get(23, "/streamed")
		k.Want("HEADERS 23 200")
		k.WantIdle()
		close(free)
		k.Want(`DATA 23 "" END`)
		k.WantIdle()
	})
}

// An informational response over HTTP/2 has no fields for framing or for the connection.
func TestH2Informational(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		var h shockwave.Header
		for _, name := range []string{"Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Proxy-Connection", "Bad Name", "X-A"} {
			h.Add(name, "1")
		}
		for _, code := range []int{103, 100, 102} {
			if err := w.WriteInformational(code, &h); err != nil {
				t.Error(err)
			}
		}
		if err := w.WriteInformational(199, nil); err != nil {
			t.Error(err)
		}
	})
	k := f.h2(t)
	k.get(1, "/")
	k.Want("HEADERS 1 103 x-a=1", "HEADERS 1 100 x-a=1", "HEADERS 1 102 x-a=1", "HEADERS 1 199", "HEADERS 1 200 content-length=0 END")
}

// On a stream that the client has reset, every call of a handler fails and nothing is sent.
func TestH2AnswersToTheReset(t *testing.T) {
	for name, say := range map[string]func(w *server.ResponseWriter, r *server.Request) error{
		"a head":     func(w *server.ResponseWriter, _ *server.Request) error { return w.Flush() },
		"a hint":     func(w *server.ResponseWriter, _ *server.Request) error { return w.WriteInformational(103, nil) },
		"a 100":      func(w *server.ResponseWriter, _ *server.Request) error { return w.WriteInformational(100, nil) },
		"an error":   func(w *server.ResponseWriter, _ *server.Request) error { w.Error(500, "x"); return w.Flush() },
		"the body":   func(_ *server.ResponseWriter, r *server.Request) error { _, err := r.Body(); return err },
		"the tunnel": func(w *server.ResponseWriter, _ *server.Request) error { _, _, err := w.Hijack(); return err },
		"a body": func(w *server.ResponseWriter, _ *server.Request) error {
			_, err := io.WriteString(w, strings.Repeat("x", 10_000))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			begun, failed := make(chan struct{}), make(chan error, 1)
			f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
				gone := make(chan struct{})
				r.OnClientGone(func() { close(gone) })
				close(begun)
				<-gone
				failed <- say(w, r)
				w.Trailer().Set("X-A", "1")
			})
			k := f.h2(t)
			if name == "the tunnel" {
				k.headers(1, false, connects()...)
			} else {
				k.post(1, "/", "expect: 100-continue")
			}
			within(t, "the handler", begun)
			k.Framer.WriteRSTStream(1, http2.ErrCodeCancel)
			if err := <-failed; err == nil {
				t.Error("it went well")
			}
			k.WantIdle()
		})
	}
}
