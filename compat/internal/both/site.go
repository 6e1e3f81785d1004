package both

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/nethttp"
)

// Host is the host of the requests of Site.Do and of the certificate of a Site with TLS.
const Host = "example.com"

// Site is a running server. It is shut down at the end of its test, which fails if a connection is left or the server does not
// end.
type Site struct {
	Name   string // of the subtest
	Ours   bool
	Addr   string // 127.0.0.1:port
	URL    string // http://127.0.0.1:port, or https
	Server Server

	// Client connects to this site for any host in the URL. It neither follows redirects nor decompresses.
	Client *http.Client

	Secure *tls.Config // Client's

	set    settings
	roots  *x509.CertPool
	logged *Log

	quicEnded chan error // HTTP/3's, if it is spoken
}

// start starts a server of kind k with the settings of std. It runs until the test ends.
func start(t *testing.T, k kind, std *http.Server, set settings) *Site {
	t.Helper()
	s := &Site{Name: k.name, Ours: k.ours, set: set, logged: new(Log)}
	if std.ErrorLog == nil {
		std.ErrorLog = log.New(s.logged, "", 0)
	}
	if set.http2 && std.Protocols == nil {
		std.Protocols = new(http.Protocols)
		std.Protocols.SetHTTP1(true)
		std.Protocols.SetHTTP2(true)
		std.Protocols.SetUnencryptedHTTP2(true)
	}
	tcp := Listen(t)
	s.Addr = tcp.Addr().String()
	if set.tls || k.quic != nil {
		cert := certificate(t)
		if std.TLSConfig == nil {
			std.TLSConfig = new(tls.Config)
		}
		std.TLSConfig.Certificates = []tls.Certificate{cert}
		s.roots = x509.NewCertPool()
		s.roots.AddCert(cert.Leaf)
	}
	server, l := k.build(std, tcp)
	s.Server = server
	s.Client = s.client()
	if k.quic != nil {
		s.speakHTTP3(t, k, server.(http3.Host))
	}
	s.URL = s.scheme() + "://" + s.Addr
	ended := make(chan error, 1)
	go func() {
		if set.tls {
			ended <- server.ServeTLS(l, "", "")
		} else {
			ended <- server.Serve(l)
		}
	}()
	t.Cleanup(func() { s.end(t, server, ended) })
	return s
}

// end stops the server. The test fails if a connection is left or the server does not end.
func (s *Site) end(t *testing.T, server starter, ended chan error) {
	s.Client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if !s.Ours {
		go s.closeIdle(ctx)
	}
	if err := server.Shutdown(ctx); err != nil {
		t.Errorf("%s: connections are left when the test has ended: %v", s.Name, err)
	}
	server.Close()
	if s.quicEnded != nil {
		if err := Receive(t, s.quicEnded, "the end of HTTP/3's Serve"); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("%s: HTTP/3's Serve returned %v", s.Name, err)
		}
	}
	if err := Receive(t, ended, "the end of Serve"); !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("%s: Serve returned %v", s.Name, err)
	}
	if n := open(server); n != 0 {
		t.Errorf("%s: %d connections are open after Shutdown", s.Name, n)
	}
}

// closeIdle closes the client's idle connections again and again until ctx is done. The client may still be dialing for a
// request that another connection has carried, and net/http's Shutdown waits for an HTTP/2 connection that begins after it.
func (s *Site) closeIdle(ctx context.Context) {
	for ctx.Err() == nil {
		s.Client.CloseIdleConnections()
		time.Sleep(10 * time.Millisecond)
	}
}

// open returns how many open connections a server has, if it is one of ours.
func open(s starter) int64 {
	switch s := s.(type) {
	case *nethttp.Server:
		return s.Stats().OpenConnections
	case native:
		return s.Stats().OpenConnections
	}
	return 0
}

func (s *Site) scheme() string {
	if s.set.tls {
		return "https"
	}
	return "http"
}

// Logged returns what the server has written to its ErrorLog so far.
func (s *Site) Logged() string { return s.logged.String() }

func (s *Site) client() *http.Client {
	s.Secure = &tls.Config{RootCAs: s.roots}
	tr := &http.Transport{DisableCompression: true, TLSClientConfig: s.Secure, DialContext: s.DialContext}
	if s.set.http2 {
		tr.Protocols = new(http.Protocols)
		tr.Protocols.SetHTTP2(s.set.tls)
		tr.Protocols.SetUnencryptedHTTP2(!s.set.tls)
	}
	var rt http.RoundTripper = tr
	if overTransport() {
		rt = &nethttp.Transport{DisableCompression: true, TLSClientConfig: s.Secure, DialContext: s.DialContext, Protocols: tr.Protocols}
	}
	return &http.Client{
		Transport:     rt,
		Timeout:       Patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// DialContext opens a connection to the site and ignores the address.
func (s *Site) DialContext(ctx context.Context, network, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, s.Addr)
}

// Listen returns a listener on the loopback interface. The caller, or the server that it is passed to, must close it.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
