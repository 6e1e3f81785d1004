package server_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// GetCertificate is asked before the files, for a client that sends a server name.
func TestTheConfigsCertificateComesFirst(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	files := writeCert(t, certFile, keyFile)
	own, _ := devCert(t)
	f := startTLS(t, server.Config{Handler: server.HandlerFunc(secure), TLSConfig: &tls.Config{
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			switch hello.ServerName {
			case "own.test":
				return &own, nil
			case "files.test":
				return nil, nil
			}
			return nil, errors.New("no such host")
		},
	}}, certFile, keyFile)
	for name, want := range map[string][]byte{
		"own.test": own.Certificate[0], "files.test": files.Certificate[0], "": files.Certificate[0], "bad.test": nil,
	} {
		nc, err := tls.Dial("tcp", f.addr, &tls.Config{InsecureSkipVerify: true, ServerName: name})
		if want == nil {
			if err == nil {
				nc.Close()
				t.Errorf("%q: a certificate in spite of the error", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := nc.ConnectionState().PeerCertificates[0].Raw; !bytes.Equal(got, want) {
			t.Errorf("%q: another certificate", name)
		}
		nc.Close()
	}
}

// A tls.Config of GetConfigForClient offers no HTTP/2 if the server does not speak it.
func TestAConfigForOneClientOffersNoH2(t *testing.T) {
	cert, _ := devCert(t)
	certs := []tls.Certificate{cert}
	chosen := map[string]*tls.Config{
		"both.test": {Certificates: certs, NextProtos: []string{"h2", "http/1.1"}},
		"h2.test":   {Certificates: certs, NextProtos: []string{"h2"}},
		"acme.test": {Certificates: certs, NextProtos: []string{"acme-tls/1"}},
		"none.test": nil,
	}
	f := startTLS(t, server.Config{Handler: server.HandlerFunc(secure), Protocols: speak((*http.Protocols).SetHTTP1), TLSConfig: &tls.Config{
		Certificates: certs,
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			return chosen[hello.ServerName], nil
		},
	}}, "", "")
	for name, want := range map[string]string{
		"both.test": "http/1.1", "h2.test": "http/1.1", "acme.test": "acme-tls/1", "none.test": "http/1.1",
	} {
		nc, err := tls.Dial("tcp", f.addr, &tls.Config{
			InsecureSkipVerify: true, ServerName: name, NextProtos: []string{"h2", "acme-tls/1", "http/1.1"},
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := nc.ConnectionState().NegotiatedProtocol; got != want {
			t.Errorf("%s: agreed on %q, want %q", name, got, want)
		}
		nc.Close()
	}
	if !slices.Equal(chosen["h2.test"].NextProtos, []string{"h2"}) {
		t.Error("somebody else's config was changed")
	}
}
