package clients

import (
	"crypto/tls"
	"io"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/nethttp"
)

// version is the version of HTTP to be spoken.
type version string

const (
	http1 version = "HTTP/1.1"
	http2 version = "HTTP/2.0"
)

// makers make clients that speak one version, trust the certificates of trust, and end with their test.
var makers = []struct {
	name string
	make func(t *testing.T, v version, trust *tls.Config) doer
}{
	{"net/http", newStandard}, {"client", newNative}, {"Transport", newTransport},
}

// doer does what http.Client.Do does.
type doer interface {
	Do(req *http.Request) (*http.Response, error)
}

func protocols(v version) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(v == http1)
	p.SetHTTP2(v == http2)
	p.SetUnencryptedHTTP2(v == http2)
	return p
}

func newStandard(t *testing.T, v version, trust *tls.Config) doer {
	tr := &http.Transport{TLSClientConfig: trust.Clone(), Protocols: protocols(v)}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func newTransport(t *testing.T, v version, trust *tls.Config) doer {
	tr := &nethttp.Transport{TLSClientConfig: trust.Clone(), Protocols: protocols(v)}
	t.Cleanup(func() { tr.Close() })
	return &http.Client{Transport: tr}
}

func newNative(t *testing.T, v version, trust *tls.Config) doer {
	c := client.New(client.Config{DisableProxy: true, TLSConfig: trust, Protocols: protocols(v)})
	t.Cleanup(func() { c.Close() })
	return native{c}
}

// native is a RoundTripper that sends requests of net/http with package client.
type native struct{ *client.Client }

// Do implements doer.
func (n native) Do(req *http.Request) (*http.Response, error) {
	q := &client.Request{Method: req.Method, URL: req.URL.String(), Host: req.Host, StreamLength: req.ContentLength}
	if req.Body != nil && req.Body != http.NoBody {
		q.Stream = req.Body
	}
	for name, values := range req.Header {
		for _, value := range values {
			q.Header.Add(name, value)
		}
	}
	r, err := n.Client.Do(req.Context(), q)
	if err != nil {
		return nil, err
	}
	resp := &http.Response{StatusCode: r.StatusCode(), Proto: r.Proto(), Header: http.Header{}, ContentLength: r.ContentLength(), Uncompressed: r.Decompressed(), TLS: r.TLS()}
	for i := range r.Header().Len() {
		name, value := r.Header().At(i)
		resp.Header.Add(string(name), string(value))
	}
	resp.Body = r.Body()
	return resp, nil
}

// ask sends a request and returns the response with its body, which has been read.
func ask(t *testing.T, d doer, method, url string, body io.Reader, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := d.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("%s %s: %v", method, url, err)
	}
	return resp, string(b)
}
