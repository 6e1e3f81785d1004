package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// h2cClient returns net/http's client that speaks HTTP/2 without TLS and nothing else.
func h2cClient(t *testing.T) *http.Client {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	tr := &http.Transport{Protocols: p}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func TestHTTP2(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		body, err := r.Body()
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s %s %d.%d %d", r.Method(), r.Path(), r.Query(), r.Host(), r.Major(), r.Minor(), r.ContentLength()))
		w.WriteText(fmt.Sprintf("%d %v", len(body), err))
	})
	c := h2cClient(t)
	for range 3 {
		res, err := c.Post("http://"+f.addr+"/a?b", "text/plain", strings.NewReader(strings.Repeat("x", 300_000)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		t.Log(res.Proto, res.StatusCode, res.Header, string(b), err)
		if string(b) != "300000 <nil>" || res.ProtoMajor != 2 {
			t.Errorf("got %q", b)
		}
	}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			for range 20 {
				res, err := c.Get("http://" + f.addr + "/")
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	wg.Wait()
}
