package nethttp_test

import (
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// copyBuffers is an httputil.BufferPool.
type copyBuffers struct{ sync.Pool }

func (p *copyBuffers) Get() []byte {
	if b, ok := p.Pool.Get().(*[32 << 10]byte); ok {
		return b[:]
	}
	return new([32 << 10]byte)[:]
}

func (p *copyBuffers) Put(b []byte) { p.Pool.Put((*[32 << 10]byte)(b)) }

// A request through a reverse proxy allocates little more than package httputil itself.
func TestProxyAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	if os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		t.Skip("the plain loop starts a goroutine to watch for the client's end")
	}
	target := &url.URL{Scheme: "http", Host: serveBytes(t, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok")}
	rt := &nethttp.Transport{DisableCompression: true}
	defer rt.Close()
	addr := serveOurs(t, &nethttp.Server{ErrorLog: quiet(), Handler: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: rt, BufferPool: new(copyBuffers),
	}})
	exchange := exchanger(t, addr, "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: b\r\n\r\n")
	// 15 are made by package httputil, 6 by the request's context, 7 by the two heads.
	if n := testing.AllocsPerRun(2000, exchange); n > 28 {
		t.Errorf("%v allocations for a request through a proxy, want no more than 28", n)
	}
}
