package both

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Request is a request to every server, and the expected status.
type Request struct {
	Status int // the status of all servers
	Method string
	Target string // a path with its query; "//name/path" for a host other than Host
	Body   string
	Fields []string // alternating names and values
}

// Get returns a GET request.
func Get(status int, target string, fields ...string) Request {
	return Request{Status: status, Method: http.MethodGet, Target: target, Fields: fields}
}

// Head returns a HEAD request.
func Head(status int, target string, fields ...string) Request {
	return Request{Status: status, Method: http.MethodHead, Target: target, Fields: fields}
}

// Post returns a POST request with a body of known length.
func Post(status int, target, body string, fields ...string) Request {
	return Request{Status: status, Method: http.MethodPost, Target: target, Body: body, Fields: fields}
}

// Send returns a request with any method, without a body.
func Send(status int, method, target string, fields ...string) Request {
	return Request{Status: status, Method: method, Target: target, Fields: fields}
}

// New returns r as a request for s.Client.
func (s *Site) New(t testing.TB, r Request) *http.Request {
	t.Helper()
	target := r.Target
	if !strings.HasPrefix(target, "//") {
		target = "//" + Host + target
	}
	var body io.Reader
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(t.Context(), r.Method, s.scheme()+":"+target, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(r.Fields); i += 2 {
		req.Header.Add(r.Fields[i], r.Fields[i+1])
	}
	return req
}

// Do sends r and returns the exchange. The test fails if the status is not r.Status.
func (s *Site) Do(t testing.TB, r Request) Exchange {
	t.Helper()
	got := s.Read(s.Client.Do(s.New(t, r)))
	if got.Status != r.Status {
		t.Errorf("%s: %s %s: status %d, want %d\n%s", s.Name, r.Method, r.Target, got.Status, r.Status, got)
	}
	return got
}
