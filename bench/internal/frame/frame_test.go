package frame

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// good is an exchange to which the server of these tests responds as it must.
func good() Exchange {
	return Exchange{Method: "POST", Path: "/p", Fields: []string{"X-A: b"}, Body: []byte("in"),
		ContentType: "text/plain", Response: []byte("out")}
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
		{what: "another status", body: "out", status: 201, want: "the status is 201, want 200"},
		{what: "another type", body: "out", status: 200, want: "Content-Type is text/html, want text/plain",
			change: func(h http.Header) { h.Set("Content-Type", "text/html") }},
		{what: "no Date", body: "out", status: 200, want: "a valid Date is false, want true",
			change: func(h http.Header) { h["Date"] = nil }},
		{what: "no length", body: "out", status: 200, want: "Content-Length is -1, want 3",
			change: func(h http.Header) { h.Set("Transfer-Encoding", "identity") }},
		{what: "other bytes", body: "oat", status: 200, want: "the body as it must be is false"},
		{what: "more bytes", body: "out!", status: 200, want: "Content-Length is 4, want 3"},
		{what: "an end", body: "out", status: 200, want: "the end of the connection after it is true",
			change: func(h http.Header) { h.Set("Connection", "close") }},
	} {
		x := good()
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != "POST" || r.URL.Path != "/p" || r.Header.Get("X-A") != "b" || r.ContentLength != 2 {
				t.Errorf("%s: the request is %+v", tc.what, r)
			}
			w.Header().Set("Content-Type", "text/plain")
			if tc.change != nil {
				tc.change(w.Header())
			}
			w.WriteHeader(tc.status)
			w.Write([]byte(tc.body))
		}))
		err := x.Once(s.Listener.Addr().String(), false)
		s.Close()
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.what, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %q", tc.what, err, tc.want)
		}
	}
}

// Requests after each other use one connection.
func TestOneConnectionAsksAgain(t *testing.T) {
	var clients []string
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clients = append(clients, r.RemoteAddr)
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte("out"))
	}))
	defer s.Close()
	c, err := Dial(s.Listener.Addr().String(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x := good()
	for range 2 {
		if err := c.Do(&x); err != nil {
			t.Fatal(err)
		}
	}
	if len(clients) != 2 || clients[0] != clients[1] {
		t.Errorf("clients were %q, want the same connection twice", clients)
	}
}
