package h1

import (
	"net/url"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/request"
)

// Default fields are sent unless the caller has set them.
func TestRequestBytes(t *testing.T) {
	u := &url.URL{Scheme: "http", Host: "h:1", Path: "/a b", RawQuery: "c=d"}
	req := &request.Request{URLs: []*url.URL{u}, Method: "POST", Body: []byte("body")}
	req.Header.Add("host", "other")
	req.Header.Add("X", "y")
	script, err := newScript(req, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := "POST /a%20b?c=d HTTP/1.1\r\nUser-Agent: shockwave\r\nContent-Length: 4\r\nhost: other\r\nX: y\r\n\r\nbody"
	if got := string(script.Batch(0, 1)); got != want {
		t.Errorf("%q", got)
	}
}
