package http3_test

import (
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/nethttp"
)

// newTransport returns a Transport that trusts the tests' certificate.
func newTransport(t testing.TB) *http3.Transport {
	_, pool := certificate()
	tr := &http3.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// clientRig is a client of ours and a server.
type clientRig struct {
	*testing.T
	tr   *http3.Transport
	c    *http.Client
	url  string
	addr string
}

func newClientRig(t *testing.T, addr string) *clientRig {
	tr := newTransport(t)
	return &clientRig{t, tr, &http.Client{Transport: tr, Timeout: 30 * time.Second}, "https://" + addr, addr}
}

// forBoth runs a test with our server and with quic-go's.
func forBoth(t *testing.T, f func(r *clientRig)) {
	t.Run("ours", func(t *testing.T) {
		s := &nethttp.Server{Handler: http.HandlerFunc(behave)}
		f(newClientRig(t, serveNetHTTP(t, s).addr))
	})
	t.Run("quic-go", func(t *testing.T) {
		addr, _ := startPeer(t, http.HandlerFunc(behave))
		f(newClientRig(t, addr))
	})
}

// startPeer serves h by quic-go's server.
func startPeer(t *testing.T, h http.Handler, set ...func(*peer.Server)) (addr string, s *peer.Server) {
	t.Helper()
	cert, _ := certificate()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = &peer.Server{Handler: h, TLSConfig: peer.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{cert}})}
	for _, f := range set {
		f(s)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(pc) }()
	t.Cleanup(func() {
		s.Close()
		<-served
		pc.Close()
	})
	return pc.LocalAddr().String(), s
}

// content is a body of n bytes.
func content(n int) io.Reader { return io.LimitReader(pattern(0), int64(n)) }

// endless is an endless reader whose bytes show their position.
type endless struct{ at int }

func pattern(at int) io.Reader { return &endless{at} }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte((e.at + i) % 251)
	}
	e.at += len(p)
	return len(p), nil
}

// behave is the handler of most tests.
func behave(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/echo":
		io.Copy(w, r.Body)
	case "/sum":
		h := sha256.New()
		n, err := io.Copy(h, r.Body)
		fmt.Fprintf(w, "%d %x %v", n, h.Sum(nil), err)
	case "/big":
		h := sha256.New()
		w.Header().Set("Trailer", "Sum")
		io.Copy(io.MultiWriter(w, h), content(10<<20))
		w.Header().Set("Sum", fmt.Sprintf("%x", h.Sum(nil)))
	case "/trailers":
		w.Header().Set("Trailer", "T")
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %v", b, r.Trailer.Get("X"), err)
		w.Header().Set("T", "v")
		w.Header().Set(http.TrailerPrefix+"Late", "w")
	case "/hints":
		w.Header().Set("Link", "</s.css>")
		w.WriteHeader(103)
		w.WriteHeader(103)
		io.WriteString(w, "ok")
	case "/length":
		w.Header().Set("Content-Length", "5")
		if r.Method != "HEAD" {
			io.WriteString(w, "12345")
		}
	case "/204":
		w.WriteHeader(204)
	case "/304":
		w.WriteHeader(304)
	case "/slow":
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
		}
	case "/silent":
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
		}
	case "/early":
		io.WriteString(w, "early")
	case "/refuse":
		w.WriteHeader(413)
	case "/fields":
		fmt.Fprintf(w, "%s %s %s %d %q %q %q %q", r.Method, r.Host, r.RequestURI, r.ContentLength, r.Header.Get("Cookie"), r.Header["X-A"], r.Header.Get("Te"), r.UserAgent())
	default:
		fmt.Fprintf(w, "%s %s", r.Method, r.Proto)
	}
}

// do sends a request and returns the response with its body, which was read to its end.
func (r *clientRig) do(method, path string, body io.Reader, set ...func(*http.Request)) (*http.Response, string) {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), method, r.url+path, body)
	if err != nil {
		r.Fatal(err)
	}
	for _, f := range set {
		f(req)
	}
	resp, err := r.c.Do(req)
	if err != nil {
		r.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.Fatalf("%s %s: %v", method, path, err)
	}
	return resp, string(b)
}

// fails sends a request and returns its error, of RoundTrip or of reading the body.
func (r *clientRig) fails(req *http.Request) error {
	r.Helper()
	resp, err := r.tr.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil {
		return errors.New("no error: " + resp.Status + " " + string(b))
	}
	return err
}

// want fails the test unless err has all of these words.
func want(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%v, want %q", err, w)
		}
	}
}
