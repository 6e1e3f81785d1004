package servercert

import (
	"crypto/tls"
	"errors"
	"testing"
)

// TestInadequate: HTTP/2 needs TLS 1.2 with a suite that is not prohibited, unless that is permitted, or TLS 1.3.
func TestInadequate(t *testing.T) {
	const good, bad = tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_128_CBC_SHA
	for name, c := range map[string]struct {
		state  tls.ConnectionState
		permit bool
		want   string
	}{
		"not known":           {tls.ConnectionState{CipherSuite: bad}, false, ""},
		"TLS 1.3":             {tls.ConnectionState{Version: tls.VersionTLS13, CipherSuite: tls.TLS_AES_128_GCM_SHA256}, false, ""},
		"TLS 1.3, any suite":  {tls.ConnectionState{Version: tls.VersionTLS13, CipherSuite: bad}, false, ""},
		"TLS 1.2":             {tls.ConnectionState{Version: tls.VersionTLS12, CipherSuite: good}, false, ""},
		"TLS 1.2, prohibited": {tls.ConnectionState{Version: tls.VersionTLS12, CipherSuite: bad}, false, "cipher_suite"},
		"TLS 1.2, permitted":  {tls.ConnectionState{Version: tls.VersionTLS12, CipherSuite: bad}, true, ""},
		"TLS 1.1":             {tls.ConnectionState{Version: tls.VersionTLS11, CipherSuite: good}, false, "tls_version"},
		"TLS 1.1, permitted":  {tls.ConnectionState{Version: tls.VersionTLS11, CipherSuite: bad}, true, "tls_version"},
	} {
		if got := Inadequate(&c.state, c.permit); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestProhibited: the list of RFC 9113 appendix A has 276 suites, in ranges whose ends are among them and their neighbours are not.
func TestProhibited(t *testing.T) {
	n := 0
	for suite := range 1 << 16 {
		if Prohibited(uint16(suite)) {
			n++
		}
	}
	if n != 276 {
		t.Errorf("%d suites", n)
	}
	for _, r := range prohibitedSuites {
		if !Prohibited(r[0]) || !Prohibited(r[1]) || r[0] > 0 && Prohibited(r[0]-1) || Prohibited(r[1]+1) {
			t.Errorf("the ends of %x", r)
		}
	}
}

// TestGetter: the program's own certificate goes first, if the client names a server and there is one.
func TestGetter(t *testing.T) {
	own, ours, failed := new(tls.Certificate), new(tls.Certificate), errors.New("failed")
	f := new(Files)
	f.current.Store(ours)
	get := f.Getter(func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		switch hello.ServerName {
		case "own.test":
			return own, nil
		case "bad.test":
			return nil, failed
		}
		return nil, nil
	})
	for name, want := range map[string]struct {
		cert *tls.Certificate
		err  error
	}{"own.test": {own, nil}, "bad.test": {nil, failed}, "other.test": {ours, nil}, "": {ours, nil}} {
		if cert, err := get(&tls.ClientHelloInfo{ServerName: name}); cert != want.cert || err != want.err {
			t.Errorf("%s: %p, %v", name, cert, err)
		}
	}
	if cert, err := f.Getter(nil)(&tls.ClientHelloInfo{ServerName: "own.test"}); cert != ours || err != nil {
		t.Errorf("without one of the program's: %p, %v", cert, err)
	}
}
