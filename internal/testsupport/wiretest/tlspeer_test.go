package wiretest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"testing"
	"time"
)

// The TLS peer and crypto/tls understand each other, with either side as the client.
func TestTLSPeer(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []bool{true, false} {
		var log bytes.Buffer
		cfg := &tls.Config{
			Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, SessionTicketsDisabled: true,
			InsecureSkipVerify: true, KeyLogWriter: &log,
		}
		a, b := Pipe(Config{}, Config{})
		server, c := tls.Server(a, cfg), tls.Client(b, &tls.Config{InsecureSkipVerify: true})
		near, far, wire := c, server, a
		if client {
			near, far, wire = tls.Server(a, cfg), tls.Client(b, cfg), b
		}
		shaken := make(chan error, 1)
		go func() { shaken <- near.Handshake() }()
		if err := far.Handshake(); err != nil {
			t.Fatal(err)
		}
		if err := <-shaken; err != nil {
			t.Fatal(err)
		}
		p := NewTLSPeer(t, wire, far, client, log.String())
		for range 2 {
			p.Write(p.Record(DataRecord, "hel"), p.UpdateKeys(true), p.UpdateKeys(false), p.Record(DataRecord, "lo"))
			got := make([]byte, 5)
			if _, err := io.ReadFull(near, got); err != nil || string(got) != "hello" {
				t.Fatalf("got %q, %v", got, err)
			}
			p.Want("key update")
			if _, err := io.WriteString(near, "answer"); err != nil {
				t.Fatal(err)
			}
			p.Want("data answer")
		}
		p.Write(p.Record(AlertRecord, "\x01\x00"))
		if _, err := near.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("after the closing alert: %v", err)
		}
		near.CloseWrite()
		p.Want("alert 1 0")
		near.NetConn().Close()
		p.Want("no record: EOF")
		wire.Close()
	}
}
