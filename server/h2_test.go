package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
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
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s %s %d.%d %d", r.Method(), r.Path(), r.Query(), r.Host(), r.ProtoMajor(), r.ProtoMinor(), r.ContentLength()))
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

// A request of HTTP/1.1 that asks for h2c is the first stream of a connection of HTTP/2 (RFC 7540 §3.2).
func TestUpgradeToHTTP2(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.WriteText(fmt.Sprintf("%d %s %s %s %q", r.ProtoMajor(), r.Method(), r.Target(), r.Host(), r.Header().Get("X-A")))
	})
	// The client reads the 101 before anything else arrives: its next frame, or the server's shutdown, follows that.
	next := map[string]func(k *wiretest.Talk){
		"the preface":           func(k *wiretest.Talk) { k.Send(http2.ClientPreface) },
		"a byte of it":          func(k *wiretest.Talk) { k.Send(http2.ClientPreface[:1]) },
		"the server shuts down": func(*wiretest.Talk) { go f.Shutdown(context.Background()) },
	}
	for _, what := range []string{"the preface", "a byte of it", "the server shuts down"} {
		was := f.Stats().Requests
		k := f.talk(t)
		k.Send("GET /a?b HTTP/1.1\r\nHost: h:1\r\nX-A: c\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")
		k.Want("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
		k.WantSilence(20 * time.Millisecond)
		next[what](k)
		k.WantUntil("2 GET /a?b h:1 \"c\"")
		if n := f.Stats().Requests - was; n != 1 {
			t.Errorf("%s: %d requests were counted", what, n)
		}
		k.Close()
	}
	f = handle(t, func(w *server.ResponseWriter, r *server.Request) { w.WriteText(fmt.Sprint(r.ProtoMajor(), " ")) })
	// With a body, with invalid settings, and without settings: HTTP/1.1.
	for _, request := range []string{
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\na",
		"GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
	} {
		k := f.talk(t)
		k.Send(request)
		k.WantUntil("HTTP/1.1 200 OK\r\n")
		k.WantUntil("1 ")
	}
}
