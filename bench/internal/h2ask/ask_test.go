package h2ask

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
)

// serve starts net/http's server, which speaks HTTP/2 on both kinds of port.
func serve(t *testing.T, withTLS bool, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.EnableHTTP2 = true
	if withTLS {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// The error says in what a response differs from the one that is expected.
func TestDifferencesAreNamed(t *testing.T) {
	for _, tc := range []struct {
		what   string
		change func(h http.Header)
		body   string
		status int
		want   string // in the error; "" for none
	}{
		{what: "as it must be", body: "out", status: 200},
		{what: "another status", body: "out", status: 201, want: `the status is "201", want "200"`},
		{what: "another type", body: "out", status: 200, want: `content-type is "text/html", want "text/plain"`,
			change: func(h http.Header) { h.Set("Content-Type", "text/html") }},
		{what: "no date", body: "out", status: 200, want: `date is ""`, change: func(h http.Header) { h["Date"] = nil }},
		{what: "other bytes", body: "oat", status: 200, want: "the body is another"},
		{what: "more bytes", body: "out!", status: 200, want: `content-length is "4", want "3"`},
	} {
		addr := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != "POST" || r.URL.Path != "/p" || r.Header.Get("X-A") != "b" || r.ContentLength != 2 {
				t.Errorf("%s: the request is %+v", tc.what, r)
			}
			w.Header().Set("Content-Type", "text/plain")
			if tc.change != nil {
				tc.change(w.Header())
			}
			w.WriteHeader(tc.status)
			io.WriteString(w, tc.body)
		})
		err := Once(addr, false, &frame.Exchange{Method: "POST", Path: "/p", Fields: []string{"X-A: b"}, Body: []byte("in"),
			ContentType: "text/plain", Response: []byte("out")})
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.what, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %q", tc.what, err, tc.want)
		}
	}
}

// Bodies longer than every window go both ways, any number of times.
func TestLongBodiesComeBack(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), window/2/16)
	for _, withTLS := range []bool{false, true} {
		addr := serve(t, withTLS, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Trailer-Follows", "yes")
			io.Copy(w, r.Body)
			w.Header().Set(http.TrailerPrefix+"X-End", "reached")
		})
		c, err := Dial(addr, withTLS)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 4 {
			got, err := c.Ask("POST", "/", nil, body)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Body, body) || strings.Join(got.Trailer["x-end"], "") != "reached" {
				t.Errorf("%d of %d bytes came back, and %v", len(got.Body), len(body), got.Trailer)
			}
		}
	}
}

// A stream that the server resets is an error.
func TestAStreamThatIsResetIsAnError(t *testing.T) {
	addr := serve(t, false, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	err := Once(addr, false, &frame.Exchange{Method: "GET", Path: "/"})
	if err == nil || !strings.Contains(err.Error(), "the server resets stream 1: INTERNAL_ERROR") {
		t.Errorf("an aborted response: %v", err)
	}
}
