package client

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Opening a connection fails if its proxy has left the cache and its URL cannot be parsed again.
func TestForgottenProxy(t *testing.T) {
	c := New(Config{DisableProxy: true})
	defer c.Close()
	for _, via := range []string{"ftp://a.test", "http://a b", "http://%zz"} {
		if o, err := c.opener.open(t.Context(), httpclient.Key{Host: "a.test", Via: via}); err == nil || o.Conn != nil {
			t.Errorf("%s: got %v, %v", via, o.Conn, err)
		}
	}
}

// A Proxy function that always returns new URLs does not fill the memory, and old ones still work.
func TestManyProxies(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Header.Get("Proxy-Authorization"))
	}))
	defer srv.Close()
	n := 0
	c := New(Config{Proxy: func(*url.URL) (*url.URL, error) {
		return url.Parse(strings.Replace(srv.URL, "//", fmt.Sprintf("//user%d:x@", n), 1))
	}})
	defer c.Close()
	for n = range 3 * maxHosts {
		u, _ := c.shared.proxies.ask(nil)
		if via, err := c.shared.proxies.intern(u); err != nil || via.Login.User != fmt.Sprint("user", n) {
			t.Fatalf("got %+v, %v; want the user user%d", via, err, n)
		}
	}
	if kept := len(c.shared.proxies.byText); kept > maxHosts {
		t.Errorf("%d are kept", kept)
	}
	for _, n = range []int{0, 1, 3*maxHosts - 1, 0} {
		e := c.exchange()
		e.own.URL = "https://a.test/"
		if err := e.prepare(&e.own); err != nil {
			t.Fatal(err)
		}
		clear(c.shared.proxies.byText) // as others may have it happen before the connection is opened
		to, err := c.opener.target(e.out.call.Key)
		if err != nil || to.Proxy == nil || to.Proxy.Login.User != fmt.Sprint("user", n) || to.Proxy.Host != "127.0.0.1" {
			t.Fatalf("got %+v, %v; want the user user%d", to, err, n)
		}
		e.resp.Close()
		resp, err := c.Get("http://a.test/")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := resp.AppendBody(nil); string(b) == "" || err != nil {
			t.Errorf("got %q, %v; want a body", b, err)
		}
		resp.Close()
	}
}

// Many goroutines may choose proxies at once.
func TestProxiesTogether(t *testing.T) {
	p := &proxies{}
	p.init(&Config{Proxy: func(to *url.URL) (*url.URL, error) { return url.Parse("http://via." + to.Host) }})
	p.stable = true
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 4 * maxHosts {
				host := fmt.Sprint("a", i%(maxHosts+100))
				via, err := p.proxyFor(false, host)
				if err != nil || via.Host != "via."+host {
					t.Errorf("%s: got %+v, %v", host, via, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if len(p.byHost) > maxHosts {
		t.Errorf("%d hosts are kept", len(p.byHost))
	}
}

// An invalid proxy URL is an error that does not reveal its password.
func TestProxyAgain(t *testing.T) {
	p := &proxies{}
	p.init(&Config{DisableProxy: true})
	if via, err := p.get("http://user:secret@a b"); via != nil || err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, %v; want an error without the password", via, err)
	}
}
