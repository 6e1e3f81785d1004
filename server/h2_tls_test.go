package server_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// Each cipher suite of crypto/tls is judged as its name says, and there are as many as the RFC lists.
func TestProhibitedSuites(t *testing.T) {
	for _, s := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		if s.SupportedVersions[0] == tls.VersionTLS13 {
			continue
		}
		good := strings.HasPrefix(s.Name, "TLS_ECDHE_") &&
			(strings.Contains(s.Name, "_GCM_") || strings.Contains(s.Name, "_CHACHA20_POLY1305_"))
		if server.Prohibited(s.ID) == good {
			t.Errorf("%s: prohibited is %v", s.Name, !good)
		}
	}
	n := 0
	for id := range 1 << 16 {
		if server.Prohibited(uint16(id)) {
			n++
		}
	}
	if n != 276 {
		t.Errorf("%d suites are prohibited, RFC 9113 appendix A has 276", n)
	}
}

// HTTP/2 over an older TLS, or with a prohibited suite, ends with INADEQUATE_SECURITY before the first request, on both
// loops and on a listener's own TLS, and is counted; HTTP/1.1 is served over both.
func TestInadequateTLS(t *testing.T) {
	const good, bad = tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA
	for name, tc := range map[string]struct {
		version, suite uint16
		permits        bool
		refused        string // how it is counted; "" if it is not
	}{
		"a good suite":                         {tls.VersionTLS12, good, false, ""},
		"a prohibited suite":                   {tls.VersionTLS12, bad, false, "conn_inadequate_security_cipher_suite"},
		"a prohibited suite that is permitted": {tls.VersionTLS12, bad, true, ""},
		"TLS 1.1":                              {tls.VersionTLS11, bad, false, "conn_inadequate_security_tls_version"},
		"TLS 1.1, with permission for suites":  {tls.VersionTLS11, bad, true, "conn_inadequate_security_tls_version"},
		"TLS 1.3, which has suites of its own": {tls.VersionTLS13, 0, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for way, loop := range loops {
				for _, own := range []bool{false, true} {
					cert, pool := devCert(t)
					theirs := &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"h2"},
						MinVersion: tc.version, MaxVersion: tc.version, CipherSuites: []uint16{tc.suite}}
					ours := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS10,
						CipherSuites: []uint16{good, bad}, NextProtos: []string{"h2", "http/1.1"}}
					counted := make(chan string, 10)
					f := serveInadequate(t, loop(server.Config{Handler: server.HandlerFunc(secure), TLSConfig: ours, HTTP2: server.HTTP2Config{
						PermitProhibitedCipherSuites: tc.permits, CountError: func(name string) { counted <- name },
					}}), own)
					talkInadequate(t, f, theirs, tc.refused != "")
					if n := f.Stats().BadRequests; n != int64(min(len(tc.refused), 1)) {
						t.Errorf("%s, own TLS %v: %d were refused", way, own, n)
					}
					if tc.refused != "" {
						if got := <-counted; got != tc.refused {
							t.Errorf("%s, own TLS %v: counted %q", way, own, got)
						}
					}
					if len(counted) > 0 {
						t.Errorf("%s, own TLS %v: counted %q", way, own, <-counted)
					}
					theirs.NextProtos = []string{"http/1.1"}
					k := f.talkTLS(t, theirs)
					k.Send("GET / HTTP/1.1\r\nHost: h\r\n" + closeField + "\r\n")
					k.WantUntil("localhost http/1.1 true")
				}
			}
		})
	}
}

// serveInadequate serves cfg, if own is true on a listener that has its own TLS.
func serveInadequate(t *testing.T, cfg server.Config, own bool) *fixture {
	if !own {
		return startTLS(t, cfg, "", "")
	}
	l := listen(t)
	return startOn(t, tls.NewListener(l, cfg.TLSConfig), cfg)
}

// talkInadequate requests a page over HTTP/2 and expects a response, or, if refused is true, the end of the connection.
func talkInadequate(t *testing.T, f *fixture, theirs *tls.Config, refused bool) {
	t.Helper()
	nc, err := tls.Dial("tcp", f.addr, theirs)
	if err != nil {
		t.Fatal(err)
	}
	if !refused {
		k := h2On(t, nc)
		k.get(1, "/")
		if got, err := k.Next(); err != nil || !strings.HasPrefix(got, "HEADERS 1 200 ") {
			t.Errorf("got %s, %v", got, err)
		}
		nc.Close()
		return
	}
	k := h2With(t, nc)
	defer nc.Close()
	k.Want("SETTINGS")
	frame, err := k.Framer.ReadFrame()
	bye, ok := frame.(*http2.GoAwayFrame)
	if err != nil || !ok || bye.LastStreamID != 0 || bye.ErrCode != http2.ErrCodeInadequateSecurity {
		t.Fatalf("got %v, %v; want GOAWAY", frame, err)
	}
	version, suite := nc.ConnectionState().Version, nc.ConnectionState().CipherSuite
	if got, want := string(bye.DebugData()), tls.VersionName(version)+" with "+tls.CipherSuiteName(suite); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	k.wantEOF()
}

// A connection that does not report its TLS version is accepted.
func TestUnknownTLSIsNotJudged(t *testing.T) {
	cfg := server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {})}
	f := startOn(t, vagueListener{listen(t)}, cfg)
	k := f.h2(t)
	k.get(1, "/")
	k.Want("HEADERS 1 200 content-length=0 END")
}

// vagueListener's connections report that TLS has negotiated HTTP/2, and nothing else.
type vagueListener struct{ net.Listener }

// Accept implements net.Listener.
func (l vagueListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return vagueConn{nc}, nil
}

type vagueConn struct{ net.Conn }

func (c vagueConn) ConnectionState() tls.ConnectionState {
	return tls.ConnectionState{HandshakeComplete: true, NegotiatedProtocol: "h2"}
}

func (c vagueConn) HandshakeContext(context.Context) error { return nil }

func (c vagueConn) NetConn() net.Conn { return c.Conn }

// HTTP2 in Protocols means HTTP/2 over TLS and UnencryptedHTTP2 means HTTP/2 without TLS, also where nothing else is
// spoken.
func TestHTTP2AloneIsOverTLSAlone(t *testing.T) {
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	const settingsAck = "\x00\x00\x00\x04\x01\x00\x00\x00\x00"
	cert, pool := devCert(t)
	for _, tc := range []struct {
		protocols *http.Protocols
		tls, good bool
	}{
		{speak((*http.Protocols).SetHTTP2), true, true}, {speak((*http.Protocols).SetHTTP2), false, false},
		{speak((*http.Protocols).SetUnencryptedHTTP2), false, true}, {speak((*http.Protocols).SetUnencryptedHTTP2), true, false},
	} {
		l := listen(t)
		if tc.tls {
			l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{cert}})
		}
		f := startOn(t, l, server.Config{Protocols: tc.protocols, Handler: server.HandlerFunc(seen)})
		var k *wiretest.Talk
		if tc.tls {
			k = f.talkTLS(t, &tls.Config{RootCAs: pool, ServerName: "localhost"})
		} else {
			k = f.talk(t)
		}
		k.Send(preface)
		if tc.good {
			k.WantUntil(settingsAck)
			continue
		}
		k.WantUntil("HTTP/2 is not spoken here")
		k.WantEOF()
	}
}

// A client that negotiates http/1.1 with a listener's own TLS gets no HTTP/2 when the server speaks only HTTP/2.
func TestHTTP1ThatIsNotSpoken(t *testing.T) {
	cert, pool := devCert(t)
	l := tls.NewListener(listen(t), &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}})
	f := startOn(t, l, server.Config{Protocols: speak((*http.Protocols).SetHTTP2), Handler: server.HandlerFunc(seen)})
	k := f.talkTLS(t, &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"http/1.1"}})
	k.WantEOF()
}
