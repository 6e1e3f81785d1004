package httpclient_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// pruneRig has a client with many hosts, half of which speak HTTP/2, and counts the connections that are being opened to
// each.
type pruneRig struct {
	*httpclient.Client
	t     *testing.T
	addr  string
	most  int32 // connections that may be opened at once to a host of HTTP/1.1; to one of HTTP/2 it is 1
	hosts [16]atomic.Int32
}

func newPruneRig(t *testing.T) *pruneRig {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }))
	srv.Config.ErrorLog = quiet
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.Protocols.SetHTTP1(true)
	srv.Config.Protocols.SetUnencryptedHTTP2(true)
	srv.Start()
	t.Cleanup(srv.Close)
	p := &pruneRig{t: t, addr: srv.Listener.Addr().String(), most: 2}
	p.Client = httpclient.New(httpclient.Config{MaxConnsPerHost: int(p.most), Open: p.open})
	return p
}

// key returns the key of host i. Whether that one speaks HTTP/2 is not known before.
func (p *pruneRig) key(i int) httpclient.Key {
	return httpclient.Key{Host: fmt.Sprint(i), Secure: true}
}

func (p *pruneRig) open(ctx context.Context, key httpclient.Key) (httpclient.Opened, error) {
	var i int
	fmt.Sscan(key.Host, &i)
	h2 := i%2 == 0
	most := p.most
	if h2 {
		most = 1
	}
	if n := p.hosts[i].Add(1); n > most {
		p.t.Errorf("%d connections are being opened to host %d at once", n, i)
	}
	defer p.hosts[i].Add(-1)
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", p.addr)
	return httpclient.Opened{Conn: nc, HTTP2: h2}, err
}

// request sends a request to host i. Over HTTP/1.1 it may be the connection's last.
func (p *pruneRig) request(k *httpclient.Call, i int, path string) {
	k.Key, k.Head, k.Method = p.key(i), ask("GET", path, ""), "GET"
	k.Close = i%2 == 1 && rand.IntN(2) == 0
	k.Replayable = true
	var r httpclient.Response
	if err := p.Do(p.t.Context(), k, &r); err != nil {
		p.t.Errorf("host %d: %v", i, err)
		return
	}
	if body, err := io.ReadAll(&r); string(body) != path || err != nil {
		p.t.Errorf("host %d: the body is %q, %v; want %q", i, body, err, path)
	}
	r.Close()
}

// While empty pools are removed all the time, no request is lost, no limit is exceeded, and no connection is left
// behind.
func TestPruneStorm(t *testing.T) {
	p := newPruneRig(t)
	stop := make(chan bool)
	var pruner, all sync.WaitGroup
	pruner.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if p.Prune(); n%20 == 0 {
				p.CloseIdle()
			}
			runtime.Gosched()
		}
	})
	for g := range 16 {
		all.Go(func() {
			var calls [len(p.hosts)]httpclient.Call // each knows the pool that it used last
			for n := range 100 {
				i := rand.IntN(len(calls))
				if n%10 == 0 {
					if err := p.Warm(t.Context(), p.key(i), 1); err != nil {
						t.Error(err)
					}
				}
				p.request(&calls[i], i, fmt.Sprintf("/%d/%d", g, n))
			}
		})
	}
	all.Wait()
	close(stop)
	pruner.Wait()
	p.CloseIdle()
	wiretest.Eventually(t, "all connections to end", func() bool { return p.Stats().Open == 0 })
	p.Prune()
	if n := p.HostPools(); n > 0 {
		t.Errorf("%d pools are left, although they are empty", n)
	}
	p.Close()
}

// A pool is kept while a request waits in it, for whatever reason.
func TestPruneKeeps(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	r.spokenHTTP2()
	q := r.get(secure, "/2")
	k := r.asked()
	if r.Prune(); r.HostPools() != 1 {
		t.Error("not kept while a connection of HTTP/2 is opened")
	}
	serve2(t, k.accept2(), nil)
	q.is("2")
	if r.Prune(); r.HostPools() != 1 {
		t.Error("not kept while there is a connection of HTTP/2")
	}

	r = newRig(t, httpclient.Config{MaxConns: 1})
	first := r.get(a, "/a")
	p := r.accept()
	p.Want(sent("GET", "/a", ""))
	second := r.get(b, "/b")
	r.waiting(2)
	if r.Prune(); r.HostPools() != 2 {
		t.Error("not kept while a request waits for a connection to another host to end")
	}
	p.Send(ok("a"))
	first.is("a")
	respond(r.accept(), "/b")
	second.is("b")
}
