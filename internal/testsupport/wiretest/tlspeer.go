package wiretest

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TLSPeer is a TLS 1.3 peer, after the handshake, whose test sends and receives single records: crypto/tls neither
// requests key updates nor sends records in parts. One goroutine at a time may write and one may read.
type TLSPeer struct {
	// Wire is the connection below TLS.
	Wire net.Conn
	// Timeout limits each step. Default 30 s.
	Timeout time.Duration

	t       testing.TB
	in, out tlsKeys
}

// The types of records (RFC 8446, appendix B.1) and of the one handshake message that a TLSPeer sends (B.3).
const (
	AlertRecord     = 21
	HandshakeRecord = 22
	DataRecord      = 23
	keyUpdate       = 24
)

// NewTLSPeer takes over from far, the end of a connection on wire that has just completed its handshake: the client's
// end or the server's. Nothing may have been sent on it since. keyLog is what far wrote to its Config.KeyLogWriter; a
// server must have set SessionTicketsDisabled. The test is skipped if crypto/tls prefers another cipher than AES.
func NewTLSPeer(t testing.TB, wire net.Conn, far *tls.Conn, client bool, keyLog string) *TLSPeer {
	t.Helper()
	if s := far.ConnectionState().CipherSuite; s != tls.TLS_AES_128_GCM_SHA256 {
		t.Skip("crypto/tls prefers ", tls.CipherSuiteName(s), " on this machine")
	}
	p := &TLSPeer{Wire: wire, Timeout: 30 * time.Second, t: t}
	theirs, ours := "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"
	if client {
		theirs, ours = ours, theirs
	}
	for line := range strings.Lines(keyLog) {
		label, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, secret, _ := strings.Cut(rest, " ")
		switch label {
		case theirs:
			p.in.use(unhex(secret))
		case ours:
			p.out.use(unhex(secret))
		}
	}
	if p.in.aead == nil || p.out.aead == nil {
		t.Fatalf("the key log has no secrets: %s", keyLog)
	}
	return p
}

// Record returns a record of the peer with the given type and content, encrypted.
func (p *TLSPeer) Record(kind byte, content string) []byte {
	plain := append([]byte(content), kind)
	head := []byte{DataRecord, 3, 3, 0, 0}
	binary.BigEndian.PutUint16(head[3:], uint16(len(plain)+p.out.aead.Overhead()))
	return p.out.aead.Seal(head, p.out.nonce(), plain, head)
}

// UpdateKeys returns the record by which the peer changes its keys and, with ask, requests that the other end does the
// same (RFC 8446 §4.6.3).
func (p *TLSPeer) UpdateKeys(ask bool) []byte {
	content := []byte{keyUpdate, 0, 0, 1, 0}
	if ask {
		content[4] = 1
	}
	r := p.Record(HandshakeRecord, string(content))
	p.out.update()
	return r
}

// Write sends records unchanged.
func (p *TLSPeer) Write(records ...[]byte) {
	p.t.Helper()
	_ = p.Wire.SetWriteDeadline(time.Now().Add(p.Timeout))
	if _, err := p.Wire.Write(bytes.Join(records, nil)); err != nil {
		p.t.Fatal("the peer cannot write: ", err)
	}
}

// Want expects records with the given contents, in the format of Next.
func (p *TLSPeer) Want(records ...string) {
	p.t.Helper()
	for i, want := range records {
		if got := p.Next(); got != want {
			p.t.Fatalf("record %d is %.40q, want %.40q", i, got, want)
		}
	}
}

// Next receives a record and returns its type and content ("data hello", "key update", "alert 1 0"), or why there is
// none.
func (p *TLSPeer) Next() string {
	_ = p.Wire.SetReadDeadline(time.Now().Add(p.Timeout))
	head := make([]byte, 5)
	if _, err := io.ReadFull(p.Wire, head); err != nil {
		return "no record: " + err.Error()
	}
	body := make([]byte, binary.BigEndian.Uint16(head[3:]))
	if _, err := io.ReadFull(p.Wire, body); err != nil {
		return "half a record: " + err.Error()
	}
	plain, err := p.in.aead.Open(nil, p.in.nonce(), body, head)
	if err != nil {
		return err.Error()
	}
	switch content, kind := plain[:len(plain)-1], plain[len(plain)-1]; {
	case kind == DataRecord:
		return "data " + string(content)
	case kind == AlertRecord:
		return fmt.Sprintf("alert %d %d", content[0], content[1])
	case kind == HandshakeRecord && content[0] == keyUpdate:
		p.in.update()
		return "key update"
	default:
		return fmt.Sprintf("type %d: %q", kind, content)
	}
}
