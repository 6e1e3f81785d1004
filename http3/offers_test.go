package http3_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// asker sends requests over whichever version its client chooses.
type asker struct {
	name string
	ask  func(method, url string, body io.Reader) (proto, response string, err error)
}

// askers returns a nethttp.Transport and a client.Client that use tr.
func askers(t *testing.T, tr *http3.Transport) []asker {
	_, pool := certificate()
	cfg := &tls.Config{RootCAs: pool}
	rt := &nethttp.Transport{HTTP3: tr, TLSClientConfig: cfg, ForceAttemptHTTP2: true}
	c := client.New(client.Config{HTTP3: tr, TLSConfig: cfg})
	t.Cleanup(func() { rt.Close(); c.Close() })
	return []asker{
		{"nethttp", func(method, url string, body io.Reader) (string, string, error) {
			req, err := http.NewRequestWithContext(t.Context(), method, url, body)
			if err != nil {
				return "", "", err
			}
			resp, err := (&http.Client{Transport: rt}).Do(req)
			if err != nil {
				return "", "", err
			}
			defer resp.Body.Close()
			p, err := io.ReadAll(resp.Body)
			return resp.Proto, resp.Status + " " + string(p), err
		}},
		{"client", func(method, url string, body io.Reader) (string, string, error) {
			resp, err := c.Do(t.Context(), &client.Request{Method: method, URL: url, Stream: body})
			if err != nil {
				return "", "", err
			}
			defer resp.Close()
			p, err := io.ReadAll(resp.Body())
			return resp.Proto(), resp.Status() + " " + string(p), err
		}},
	}
}

// both serves h over TLS, and over HTTP/3 if udp is a socket. It returns the URL.
func both(t *testing.T, h http.HandlerFunc, udp net.PacketConn) string {
	t.Helper()
	cert, _ := certificate()
	s := &nethttp.Server{TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}, Handler: h}
	l, served := tcp(t), make(chan error, 2)
	go func() { served <- s.ServeTLS(l, "", "") }()
	if udp != nil {
		go func() { served <- http3.NewServer(s, http3.Config{}).Serve(udp, "", "") }()
	} else {
		served <- nil
	}
	t.Cleanup(func() { s.Close(); <-served; <-served })
	return "https://" + l.Addr().String()
}

// udpSocket returns a UDP socket that nobody reads yet.
func udpSocket(t *testing.T) net.PacketConn {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	return pc
}

// port returns the port of an address.
func port(a net.Addr) string {
	_, p, _ := net.SplitHostPort(a.String())
	return p
}

// protocolIs waits until responses come in a version.
func (a *asker) protocolIs(t *testing.T, url, want string) {
	t.Helper()
	got := ""
	wiretest.Eventually(t, a.name+": "+want, func() bool {
		var err error
		if got, _, err = a.ask("GET", url, nil); err != nil {
			t.Fatal(err)
		}
		return got == want
	})
}

// After a server offers HTTP/3 in Alt-Svc requests use it, until the server withdraws the offer.
func TestOffered(t *testing.T) {
	var clear atomic.Bool
	echo := func(w http.ResponseWriter, r *http.Request) {
		if clear.Load() {
			w.Header().Set("Alt-Svc", "clear")
		}
		io.Copy(w, r.Body)
	}
	for _, a := range askers(t, new(http3.Transport)) {
		clear.Store(false)
		url := both(t, echo, udpSocket(t))
		if got, _, err := a.ask("GET", url, nil); got != "HTTP/2.0" || err != nil {
			t.Errorf(`%s: the first request: got %q, %v; want "HTTP/2.0"`, a.name, got, err)
		}
		a.protocolIs(t, url, "HTTP/3.0")
		long := strings.Repeat("0123456789", 100_000)
		for _, body := range []io.Reader{strings.NewReader(long), io.MultiReader(strings.NewReader(long))} {
			if got, response, err := a.ask("POST", url, body); got != "HTTP/3.0" || response != "200 OK "+long || err != nil {
				t.Errorf("%s: got %s, %d bytes, %v", a.name, got, len(response), err)
			}
		}
		clear.Store(true)
		if got, _, err := a.ask("GET", url, nil); got != "HTTP/3.0" || err != nil {
			t.Errorf(`%s: the request that takes it back: got %q, %v; want "HTTP/3.0"`, a.name, got, err)
		}
		if got, _, err := a.ask("GET", url, nil); got != "HTTP/2.0" || err != nil {
			t.Errorf(`%s: when it was taken back: got %q, %v; want "HTTP/2.0"`, a.name, got, err)
		}
	}
}

// Where UDP is blocked requests use TCP, and the failed offer is not tried again for a while.
func TestBlocked(t *testing.T) {
	deaf := udpSocket(t)
	offering := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Alt-Svc", `h3=":`+port(deaf.LocalAddr())+`"`)
		w.Header().Set("Connection", "close") // HTTP/2: GOAWAY
	}
	var sockets atomic.Int32
	tr := &http3.Transport{TLSHandshakeTimeout: 400 * time.Millisecond, ListenPacket: func(ctx context.Context, network, addr string) (net.PacketConn, error) {
		sockets.Add(1)
		return new(net.ListenConfig).ListenPacket(ctx, network, addr)
	}}
	for _, a := range askers(t, tr) {
		url := both(t, offering, nil)
		sockets.Store(0)
		for end := time.Now().Add(time.Second); time.Now().Before(end); {
			if got, response, err := a.ask("GET", url, nil); got != "HTTP/2.0" || response != "200 OK " || err != nil {
				t.Fatalf(`%s: got %q, %q, %v; want "HTTP/2.0", "200 OK "`, a.name, got, response, err)
			}
		}
		if n := sockets.Load(); n != 1 {
			t.Errorf("%s: it was tried %d times", a.name, n)
		}
	}
}

// A request without a connection waits a moment for HTTP/3, and does not fail when HTTP/3 fails.
func TestRace(t *testing.T) {
	udp := udpSocket(t)
	var closing atomic.Bool
	h := func(w http.ResponseWriter, r *http.Request) {
		if closing.Load() && r.ProtoMajor < 3 {
			w.Header().Set("Connection", "close")
		}
	}
	for _, a := range askers(t, new(http3.Transport)) {
		closing.Store(true) // no connection of TCP is left
		url := both(t, h, udp)
		if _, _, err := a.ask("GET", url, nil); err != nil {
			t.Fatal(err)
		}
		a.protocolIs(t, url, "HTTP/3.0")
		udp = udpSocket(t)
	}
}

// A server that is reachable only over UDP is reached, even by a request that waits for TCP.
func TestTCPBlocked(t *testing.T) {
	udp := udpSocket(t)
	u, _ := url.Parse(both(t, func(http.ResponseWriter, *http.Request) {}, udp))
	_, pool := certificate()
	there := http3.ServiceBinding{Priority: 1, Target: "localhost.", ALPN: []string{"h3"}, Port: uint16(udp.LocalAddr().(*net.UDPAddr).Port), TTL: time.Hour}
	wiretest.Eventually(t, "a response", func() bool { // a busy machine may not have the connection ready when TCP fails
		shaken := make(chan bool)
		tr := &http3.Transport{
			LookupHTTPS: func(context.Context, string) ([]http3.ServiceBinding, error) {
				time.Sleep(300 * time.Millisecond) // so that TCP is tried, too
				return []http3.ServiceBinding{there}, nil
			},
			TLSClientConfig: &tls.Config{RootCAs: pool, VerifyConnection: func(tls.ConnectionState) error { close(shaken); return nil }},
		}
		rt := &nethttp.Transport{HTTP3: tr, DialContext: func(context.Context, string, string) (net.Conn, error) {
			<-shaken
			time.Sleep(50 * time.Millisecond)
			return nil, errors.New("blocked")
		}}
		defer rt.Close()
		resp, err := (&http.Client{Transport: rt}).Get("https://localhost:" + u.Port())
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.ProtoMajor == 3
	})
}

// After 421 a request goes to the origin, and the alternative is not used for a while, even if it is offered again.
func TestMisdirected(t *testing.T) {
	var asked atomic.Int32
	h := func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 3 {
			asked.Add(1)
			w.WriteHeader(http.StatusMisdirectedRequest)
		}
	}
	for _, a := range askers(t, new(http3.Transport)) {
		url := both(t, h, udpSocket(t))
		asked.Store(0)
		ask := func() {
			if got, response, err := a.ask("GET", url, nil); got != "HTTP/2.0" || response != "200 OK " || err != nil {
				t.Fatalf(`%s: got %q, %q, %v; want "HTTP/2.0", "200 OK "`, a.name, got, response, err)
			}
		}
		wiretest.Eventually(t, "HTTP/3 is tried", func() bool { ask(); return asked.Load() > 0 })
		for range 10 { // each response offers it again
			ask()
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("%s: the alternative was asked %d times", a.name, n)
		}
	}
}

// An HTTPS record lets the first request use HTTP/3.
func TestServiceBindings(t *testing.T) {
	udp := udpSocket(t)
	silent := func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Alt-Svc", "") }
	where := strings.Replace(both(t, silent, udp), "127.0.0.1", "localhost", 1)
	u, _ := url.Parse(where)
	other := []http3.ServiceBinding{{Priority: 0, Target: "alias.test"}, {Priority: 2, Target: ".", ALPN: []string{"h2"}, TTL: time.Hour}}
	there := http3.ServiceBinding{
		Priority: 1, Target: "localhost.", ALPN: []string{"h2", "h3"}, Port: uint16(udp.LocalAddr().(*net.UDPAddr).Port), TTL: time.Hour,
	}
	for _, tc := range []struct {
		found []http3.ServiceBinding
		err   error
		want  string
	}{{nil, errors.New("no such record"), "HTTP/2.0"}, {other, nil, "HTTP/2.0"}, {append(other, there), nil, "HTTP/3.0"}} {
		asked := make(chan string, 10)
		tr := &http3.Transport{LookupHTTPS: func(_ context.Context, name string) ([]http3.ServiceBinding, error) {
			asked <- name
			return tc.found, tc.err
		}}
		for _, a := range askers(t, tr) {
			a.protocolIs(t, where, tc.want) // the first request's, unless the machine is busy
			for range 3 {
				if got, _, err := a.ask("GET", where, nil); got != tc.want || err != nil {
					t.Errorf("%s: %s, %v; want %s", a.name, got, err, tc.want)
				}
			}
			if got := wiretest.Within(t, "a lookup", asked); got != "_"+u.Port()+"._https.localhost" || len(asked) > 0 {
				t.Errorf("%s: it asked for %s, and %d times more", a.name, got, len(asked))
			}
		}
	}
}

// A client with HTTP/3 alone needs https and uses no proxy.
func TestPriorKnowledge(t *testing.T) {
	r := serveNetHTTP(t, &nethttp.Server{Handler: http.HandlerFunc(behave)})
	_, pool := certificate()
	cfg := client.Config{HTTP3: new(http3.Transport), Protocols: new(http.Protocols), TLSConfig: &tls.Config{RootCAs: pool}}
	c := client.New(cfg)
	defer c.Close()
	if err := c.Warmup(1, "https://"+r.addr); err != nil {
		t.Error(err)
	}
	resp, err := c.Get("https://" + r.addr + "/length")
	if err != nil {
		t.Fatal(err)
	}
	if resp.Proto() != "HTTP/3.0" {
		t.Errorf(`got %q, want "HTTP/3.0"`, resp.Proto())
	}
	resp.Close()
	_, err = c.Get("http://" + r.addr)
	want(t, err, "no version for http URLs")
	cfg.Proxy = func(*url.URL) (*url.URL, error) { return url.Parse("http://127.0.0.1:1") }
	proxied := client.New(cfg)
	defer proxied.Close()
	_, err = proxied.Get("https://" + r.addr)
	want(t, err, "HTTP/3 is not spoken through a proxy")
	none := client.New(client.Config{Protocols: new(http.Protocols)})
	defer none.Close()
	_, err = none.Get("https://" + r.addr)
	want(t, err, "Config.HTTP3 is not set")
}

// CONNECT opens a tunnel (RFC 9114 §4.4) whose halves end separately.
func TestConnect(t *testing.T) {
	r := serveNetHTTP(t, &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "CONNECT" || r.Host != "far.test:80" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		flush := http.NewResponseController(w).Flush
		flush()
		io.CopyN(w, r.Body, 5)
		flush()
		n, err := io.Copy(w, r.Body)
		fmt.Fprintf(w, " %d %v", n, err)
	})})
	tr := newTransport(t)
	pr, pw := io.Pipe()
	req, _ := http.NewRequestWithContext(t.Context(), "CONNECT", "https://"+r.addr, pr)
	req.Host = "far.test:80"
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	io.WriteString(pw, "there")
	p := make([]byte, 5)
	if _, err := io.ReadFull(resp.Body, p); err != nil || string(p) != "there" {
		t.Fatalf(`got %q, %v; want "there"`, p, err)
	}
	pw.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != " 0 <nil>" {
		t.Errorf(`got %q, %v; want " 0 <nil>"`, rest, err)
	}
}

// With early data, requests with safe methods are sent before the handshake is complete, and sent again if the server finds them
// too early or does not accept early data.
func TestClientEarlyData(t *testing.T) {
	cert, pool := certificate()
	var refused atomic.Int32
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if early := r.Header.Get("Early-Data"); early != "" && r.URL.Path == "/late" {
			refused.Add(1)
			w.WriteHeader(http.StatusTooEarly)
		} else {
			fmt.Fprintf(w, "early %s", early)
		}
	})
	startEarly := func() string {
		s := &nethttp.Server{TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}, Handler: handler}
		pc, served := udpSocket(t), make(chan error, 1)
		go func() { served <- http3.NewServer(s, http3.Config{EarlyData: true}).Serve(pc, "", "") }()
		t.Cleanup(func() { s.Close(); <-served })
		return "https://" + pc.LocalAddr().String()
	}
	at := startEarly()
	tickets := make(chan bool, 1)
	tr := &http3.Transport{EarlyData: true, TLSClientConfig: &tls.Config{RootCAs: pool, ClientSessionCache: &toldCache{tls.NewLRUClientSessionCache(1), tickets}}}
	defer tr.Close()
	ask := func(method, url string) string {
		t.Helper()
		req, _ := http.NewRequestWithContext(t.Context(), method, url, nil)
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if !resp.TLS.HandshakeComplete { // a response comes behind the handshake
			t.Errorf("%s %s: the handshake is not complete", method, url)
		}
		return string(body)
	}
	again := func() { // another connection to the same server
		t.Helper()
		wiretest.Within(t, "a ticket", tickets)
		tr.CloseIdleConnections()
	}
	if got := ask("GET", at); got != "early " {
		t.Errorf(`the first connection: got %q, want "early "`, got)
	}
	wiretest.Eventually(t, "early data", func() bool { // a busy server may be late: then there was a handshake
		again()
		return ask("GET", at) == "early 1"
	})
	again()
	if got := ask("POST", at); got != "early " {
		t.Errorf(`a request that may not be repeated: got %q, want "early "`, got)
	}
	wiretest.Eventually(t, "425", func() bool {
		again()
		if got := ask("GET", at+"/late"); got != "early " {
			t.Errorf(`a request that has come too early: got %q, want "early "`, got)
		}
		return refused.Load() > 0
	})
	again()
	if got := ask("GET", startEarly()); got != "early " { // which knows nothing of the session
		t.Errorf(`a server that does not take it: got %q, want "early "`, got)
	}
}
