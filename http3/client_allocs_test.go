package http3_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/server"
)

// A single GET costs few allocations, counting our server and QUIC on both sides.
func TestTransportAllocs(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	tr := newTransport(t)
	get := func() {
		req, _ := http.NewRequest("GET", "https://"+r.addr+"/", nil)
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	get()
	if n := testing.AllocsPerRun(200, get); n > 110 {
		t.Errorf("%v allocations", n)
	} else {
		t.Logf("%v allocations", n)
	}
}
