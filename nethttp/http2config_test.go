package nethttp_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// Over TLS 1.2 with a cipher suite of RFC 9113 appendix A, HTTP/2 ends with INADEQUATE_SECURITY unless
// PermitProhibitedCipherSuites is set, as with net/http.
func TestPermitProhibitedCipherSuites(t *testing.T) {
	const prohibited = tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA
	for _, permit := range []bool{false, true} {
		cert, trusting := certificate()
		s := nethttp.FromServer(&http.Server{
			Handler: http.NotFoundHandler(), ErrorLog: quiet(),
			TLSConfig: &tls.Config{
				Certificates: []tls.Certificate{cert}, CipherSuites: []uint16{prohibited}, MaxVersion: tls.VersionTLS12,
			},
			HTTP2: &http.HTTP2Config{PermitProhibitedCipherSuites: permit},
		})
		l := listen(t)
		ended := make(chan error, 1)
		go func() { ended <- s.ServeTLS(l, "", "") }()
		defer func() { s.Close(); <-ended }()
		trusting.CipherSuites, trusting.MaxVersion, trusting.NextProtos = []uint16{prohibited}, tls.VersionTLS12, []string{"h2"}
		nc, err := tls.Dial("tcp", l.Addr().String(), trusting)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		nc.SetDeadline(time.Now().Add(patience))
		k := h2Over(t, nc)
		k.request("GET", "/", true)
		got := ""
		k.until("GOAWAY or a response", func(f http2.Frame) bool {
			switch f := f.(type) {
			case *http2.GoAwayFrame:
				got = f.ErrCode.String()
			case *http2.MetaHeadersFrame:
				got = "answered"
			}
			return got != ""
		})
		if want := map[bool]string{false: "INADEQUATE_SECURITY", true: "answered"}[permit]; got != want {
			t.Errorf("PermitProhibitedCipherSuites %v: %s, want %s", permit, got, want)
		}
	}
}

// WriteByteTimeout ends a connection of HTTP/2 when its client has read nothing for that long, not earlier, and does not
// apply to HTTP/1.1.
func TestWriteByteTimeout(t *testing.T) {
	const limit, tick = time.Second, 100 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan string, 2)
		s := &nethttp.Server{
			HTTP2: &http.HTTP2Config{WriteByteTimeout: limit}, ErrorLog: quiet(),
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					failed <- r.Proto
				}
			}),
		}
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(l) }()
		defer func() { s.Close(); <-ended }()
		old, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		defer old.Close()
		io.WriteString(old, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		nc, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		k := h2Over(t, nc, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
		k.Framer.WriteWindowUpdate(0, 1<<30)
		began := time.Now()
		k.request("GET", "/", true)
		if proto := <-failed; proto != "HTTP/2.0" {
			t.Errorf("it ended the connection of %s", proto)
		}
		// Bytes that a Write in memory has passed on count only when it returns, so the timeout may take twice as long.
		if took := time.Since(began); took < limit-tick || took > 2*limit+tick {
			t.Errorf("the connection ended after %v", took)
		}
		if len(failed) > 0 {
			t.Errorf("it ended the connection of %s as well", <-failed)
		}
	})
}
