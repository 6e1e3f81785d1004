package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// startProxy serves what behind serves.
func startProxy(t *testing.T, behind http.HandlerFunc) (r *clitest.Running) {
	t.Helper()
	s := httptest.NewServer(behind)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return clitest.Serve(t, Options{proxy: u})
}

// Requests and responses pass the proxy with the right fields.
func TestProxyPassesOn(t *testing.T) {
	r := startProxy(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Behind", "yes")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s %q %q %q %s", r.Method, r.RequestURI, r.Host, r.Header["X-Forwarded-For"],
			r.Header["X-Forwarded-Host"], r.Header["X-Forwarded-Proto"], body)
	})
	k := r.Dial()
	k.Say("POST /a%2Fb?c=d HTTP/1.1\r\nHost: front.example\r\nX-Forwarded-For: 10.9.8.7\r\nContent-Length: 4\r\n\r\nbody")
	resp, body := k.Hear("POST")
	const want = `POST /a%2Fb?c=d front.example ["127.0.0.1"] ["front.example"] ["http"] body`
	if resp.StatusCode != http.StatusTeapot || body != want || resp.Header.Get("X-Behind") != "yes" {
		t.Errorf("got %s %q\nwant 418 %q", resp.Status, body, want)
	}
}

// Bodies that pass at the same time do not share a buffer.
func TestProxyKeepsBodiesApart(t *testing.T) {
	r := startProxy(t, func(w http.ResponseWriter, r *http.Request) {
		for range 200 { // in pieces: proxies copy what is there
			io.WriteString(w, strings.Repeat(r.URL.Path[1:], 1000))
		}
	})
	var all sync.WaitGroup
	for _, c := range strings.Split("abcdefghijklmnop", "") {
		all.Go(func() {
			for range 5 {
				resp, err := r.Client.Get(r.URL + "/" + c)
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if string(body) != strings.Repeat(c, 200_000) || err != nil {
					t.Errorf("%d bytes that are not all %q, %v", len(body), c, err)
				}
			}
		})
	}
	all.Wait()
}

// The proxy passes on each piece of a response at once.
func TestProxyStreams(t *testing.T) {
	proceed := make(chan struct{})
	r := startProxy(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: 1\n\n")
		http.NewResponseController(w).Flush()
		<-proceed
		io.WriteString(w, "data: 2\n\n")
	})
	resp, err := r.Client.Get(r.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewReader(resp.Body)
	first, _ := events.ReadString('\n') // arrives although the service is not done
	close(proceed)
	rest, err := io.ReadAll(events)
	if first != "data: 1\n" || string(rest) != "\ndata: 2\n\n" || err != nil {
		t.Errorf("got %q and %q, %v", first, rest, err)
	}
}

// WebSockets pass the proxy.
func TestProxyUpgrades(t *testing.T) {
	r := startProxy(t, func(w http.ResponseWriter, r *http.Request) {
		nc, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		io.Copy(nc, rw)
	})
	k := r.Dial()
	k.Say("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
	if resp, err := http.ReadResponse(k.R, nil); err != nil || resp.StatusCode != 101 {
		t.Fatalf("got %v, %v; want 101", resp, err)
	}
	k.Say("there and back\n")
	if line, err := k.R.ReadString('\n'); line != "there and back\n" {
		t.Errorf("got %q, %v", line, err)
	}
	k.Conn.Close()
}

// A page behind the proxy may open WebSockets to where it came from, and other pages may not.
func TestProxyKeepsOrigins(t *testing.T) {
	behind := clitest.Serve(t, Options{})
	target, err := url.Parse(behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]Options{
		"the Host asked for":   {proxy: target},
		"the service's Host":   {proxy: target, rewriteHost: true},
		"over TLS":             {proxy: target, Options: clitest.OverTLS},
		"over TLS, rewritten":  {proxy: target, rewriteHost: true, Options: clitest.OverTLS},
		"logged":               {proxy: target, logFile: "-"},
		"logged and rewritten": {proxy: target, logFile: "-", rewriteHost: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := clitest.Serve(t, opt)
			own := "Origin: http://h"
			if opt.TLS {
				own = "Origin: https://h"
			}
			k := r.Hello("/ws", own)
			k.SayFrame(clitest.Fin|clitest.Text, "ping 1")
			k.WantFrame("a text comes back", clitest.Fin|clitest.Text, "ping 1")
			if resp := r.Dial().Upgrade("/ws", "Origin: http://elsewhere.example"); resp.StatusCode != 403 {
				t.Errorf("from a foreign page: %s, want 403", resp.Status)
			}
			k.SayFrame(clitest.Fin|clitest.Closes, "\x03\xe8")
			k.WantFrame("it is closed", clitest.Fin|clitest.Closes, "\x03\xe8")
			k.WantEnd()
			if _, body := r.Do("GET", "/"); strings.Contains(body, "Host: "+target.Host+"\n") != opt.rewriteHost {
				t.Errorf("rewriteHost %v: the service saw\n%s", opt.rewriteHost, body)
			}
		})
	}
}

// Large bodies pass the proxy in both directions.
func TestProxyPassesOnLargeBodies(t *testing.T) {
	const size = 33 << 20 // more than the server's default limit
	r := startProxy(t, func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	})
	resp, err := r.Client.Post(r.URL, "application/octet-stream", io.LimitReader(xReader{}, size))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); string(body) != fmt.Sprint(size, nil) {
		t.Errorf("got %s %q, %v", resp.Status, body, err)
	}
}

// xReader is an endless body.
type xReader struct{}

// block is what a body repeats.
var block = bytes.Repeat([]byte("x"), 32<<10)

func (xReader) Read(p []byte) (int, error) { return copy(p, block), nil }

// A service that cannot be reached is a 502.
func TestProxyWithNobodyBehind(t *testing.T) {
	r := clitest.Serve(t, Options{proxy: &url.URL{Scheme: "http", Host: clitest.Unused}})
	if resp, _ := r.Do("GET", "/x?secret=1"); resp.StatusCode != http.StatusBadGateway {
		t.Errorf("%s, want 502", resp.Status)
	}
	if said := r.Err.String(); !strings.Contains(said, "refused") {
		t.Errorf("the log says %q, want the reason", said)
	}
}

// A response that breaks off breaks off for the client, too.
func TestProxyCutsWhatIsCut(t *testing.T) {
	r := startProxy(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		w.Write(block)
		panic(http.ErrAbortHandler)
	})
	resp, err := r.Client.Get(r.URL)
	if err == nil {
		defer resp.Body.Close()
		_, err = io.ReadAll(resp.Body)
	}
	if err == nil {
		t.Error("half an answer looks whole")
	}
}
