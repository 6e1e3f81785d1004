package both

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"testing"

	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
)

// quicClient is a client of HTTP/3.
type quicClient interface {
	http.RoundTripper
	io.Closer
}

func othersQUIC(cfg *tls.Config) quicClient {
	return &peer.Transport{TLSClientConfig: cfg, DisableCompression: true}
}

func ownQUIC(cfg *tls.Config) quicClient {
	return &http3.Transport{TLSClientConfig: cfg, DisableCompression: true}
}

// speakHTTP3 has s, whose server is h, and its Client speak HTTP/3. Other clients find the server on TCP, as ever.
func (s *Site) speakHTTP3(t *testing.T, k kind, h http3.Host) {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	s.quicEnded = ended
	go func() {
		err := http3.NewServer(h, http3.Config{AltSvcPort: -1}).Serve(pc, "", "")
		pc.Close()
		ended <- err
	}()
	c := k.quic(&tls.Config{RootCAs: s.roots, ServerName: Host})
	s.Client.Transport = &quicOnly{c, pc.LocalAddr().String()}
	t.Cleanup(func() { c.Close() })
}

// quicOnly sends every request to one address by HTTP/3, also those of http URLs.
type quicOnly struct {
	quicClient
	addr string
}

// RoundTrip implements http.RoundTripper.
func (q *quicOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	own := r.Clone(r.Context())
	if own.Host == "" {
		own.Host = r.URL.Host
	}
	own.URL.Scheme, own.URL.Host = "https", q.addr
	res, err := q.quicClient.RoundTrip(own)
	if err == nil {
		res.Request = r
	}
	return res, err
}

// CloseIdleConnections implements what http.Client looks for.
func (q *quicOnly) CloseIdleConnections() {
	if c, ok := q.quicClient.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
