package behaviour

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	peer3 "github.com/quic-go/quic-go/http3"
)

// client returns net/http's client for the scene's server.
func (s *scene) client() *http.Client {
	tr := &http.Transport{DisableCompression: true, TLSClientConfig: clientTLS()}
	if s.version == 2 {
		tr.Protocols = new(http.Protocols)
		tr.Protocols.SetUnencryptedHTTP2(true)
	}
	s.later(tr.CloseIdleConnections)
	var rt http.RoundTripper = tr
	if s.version == 3 {
		quic := &peer3.Transport{DisableCompression: true, TLSClientConfig: clientTLS()}
		s.later(func() { quic.Close() })
		rt = overTLS{quic}
	}
	return &http.Client{Transport: rt, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// overTLS is the same row with https.
type overTLS struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (o overTLS) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme = "https"
	return o.RoundTripper.RoundTrip(r)
}

// fetchAtOnce makes the given number of requests at the same time and records how many got a response.
func (s *scene) fetchAtOnce(n int) {
	s.t.Helper()
	c, got := s.client(), make(chan int)
	for range n {
		go func() {
			res, err := c.Get("http://" + s.addr)
			if err != nil {
				got <- 0
				return
			}
			res.Body.Close()
			got <- 1
		}()
	}
	responses := 0
	for range n {
		responses += await(s, got)
	}
	s.notef("responses: %d", responses)
}

// fetch makes a request with c and records the response. fields are names and values in turn; Host is one of them.
func (s *scene) fetch(c *http.Client, method, path string, body io.Reader,
	fields ...string) (res *http.Response, got string) {
	s.t.Helper()
	req, err := http.NewRequest(method, "http://"+s.addr+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		if fields[i] == "Host" {
			req.Host = fields[i+1]
			continue
		}
		req.Header.Set(fields[i], fields[i+1])
	}
	res, err = c.Do(req)
	if err != nil {
		s.notef("%s %s: no response", method, path)
		return nil, ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	s.notef("%s %s: %d %s%s\n| %s%s", method, path, res.StatusCode, http.StatusText(res.StatusCode),
		fieldLines(res.Header), abridged(b), ending(err))
	return res, string(b)
}

// certificate is a self-signed one for loopback addresses, made once.
var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		DNSNames:     []string{"example.com", "localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:         true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
})

// clientTLS trusts certificate.
func clientTLS() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(certificate().Leaf)
	return &tls.Config{RootCAs: pool}
}

// xs is n times the letter x.
func xs(n int) string { return strings.Repeat("x", n) }
