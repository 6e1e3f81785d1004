package transport

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// tlsPeer is a peer that speaks TLS 1.3 by hand once the handshake is over: crypto/tls asks for no key updates and sends
// no records in parts. It knows the secrets from the key log.
type tlsPeer struct {
	t       testing.TB
	wire    net.Conn
	in, out tlsKeys
}

// tlsKeys are those of one direction.
type tlsKeys struct {
	secret []byte
	aead   cipher.AEAD
	iv     []byte
	seq    uint64
}

// The types of records and messages (RFC 8446, appendix B).
const (
	alertRecord     = 21
	handshakeRecord = 22
	dataRecord      = 23
	keyUpdate       = 24
)

// newTLSPeer returns a Conn of the variant given, which must be one with TLS, and its peer.
func newTLSPeer(t testing.TB, v variant) (*Conn, *tlsPeer) {
	t.Helper()
	near, wire := connect(t, v)
	log := new(bytes.Buffer)
	c := new(Conn)
	var far *tls.Conn
	ours, theirs := "SERVER_TRAFFIC_SECRET_0", "CLIENT_TRAFFIC_SECRET_0"
	if v.tls == server {
		cfg := clientConfig()
		cfg.KeyLogWriter = log
		c.Init(near, v.raw)
		c.Secure(tls.Server, serverConfig())
		far = shakeHands(t, c.Handshake, tls.Client(wire, cfg))
	} else {
		cfg := serverConfig()
		cfg.KeyLogWriter = log
		ours, theirs = theirs, ours
		tc := Client(near, clientConfig())
		far = shakeHands(t, tc.Handshake, tls.Server(wire, cfg))
		c.Init(tc, v.raw)
	}
	t.Cleanup(func() {
		_ = wire.Close()
		c.Close()
	})
	if s := far.ConnectionState().CipherSuite; s != tls.TLS_AES_128_GCM_SHA256 {
		t.Skip("crypto/tls prefers ", tls.CipherSuiteName(s), " on this machine")
	}
	p := &tlsPeer{t: t, wire: wire}
	for line := range strings.Lines(log.String()) {
		label, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, secret, _ := strings.Cut(rest, " ")
		switch label {
		case ours:
			p.in.use(unhex(secret))
		case theirs:
			p.out.use(unhex(secret))
		}
	}
	if p.in.aead == nil || p.out.aead == nil {
		t.Fatalf("the key log has no secrets: %s", log)
	}
	return c, p
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// use takes the keys from a traffic secret (RFC 8446 §7.3).
func (k *tlsKeys) use(secret []byte) {
	block, err := aes.NewCipher(expand(secret, "key", 16))
	if err != nil {
		panic(err)
	}
	if k.aead, err = cipher.NewGCM(block); err != nil {
		panic(err)
	}
	k.secret, k.iv, k.seq = secret, expand(secret, "iv", 12), 0
}

// update takes the next keys (RFC 8446 §7.2).
func (k *tlsKeys) update() { k.use(expand(k.secret, "traffic upd", sha256.Size)) }

func expand(secret []byte, label string, size int) []byte {
	info := binary.BigEndian.AppendUint16(nil, uint16(size))
	info = append(info, byte(6+len(label)))
	info = append(info, "tls13 "+label...)
	b, err := hkdf.Expand(sha256.New, secret, string(append(info, 0)), size)
	if err != nil {
		panic(err)
	}
	return b
}

func (k *tlsKeys) nonce() []byte {
	n := append([]byte(nil), k.iv...)
	var seq [8]byte
	binary.BigEndian.PutUint64(seq[:], k.seq)
	for i, b := range seq {
		n[4+i] ^= b
	}
	k.seq++
	return n
}

// record returns a record of the peer's.
func (p *tlsPeer) record(kind byte, content string) []byte {
	plain := append([]byte(content), kind)
	head := []byte{dataRecord, 3, 3, 0, 0}
	binary.BigEndian.PutUint16(head[3:], uint16(len(plain)+p.out.aead.Overhead()))
	return p.out.aead.Seal(head, p.out.nonce(), plain, head)
}

// updateKeys returns the record with which the peer goes on to other keys and, with ask, wants us to do the same.
func (p *tlsPeer) updateKeys(ask bool) []byte {
	content := []byte{keyUpdate, 0, 0, 1, 0}
	if ask {
		content[4] = 1
	}
	r := p.record(handshakeRecord, string(content))
	p.out.update()
	return r
}

// write sends records as they are.
func (p *tlsPeer) write(records ...[]byte) {
	p.t.Helper()
	_ = p.wire.SetWriteDeadline(time.Now().Add(patience))
	if _, err := p.wire.Write(bytes.Join(records, nil)); err != nil {
		p.t.Fatal("the peer cannot write: ", err)
	}
}

// want expects records with these contents, written as their type and text: "data hello", "key update", "alert 1 0".
func (p *tlsPeer) want(records ...string) {
	p.t.Helper()
	for i, want := range records {
		if got := p.next(); got != want {
			p.t.Fatalf("record %d is %.40q, want %.40q", i, got, want)
		}
	}
}

func (p *tlsPeer) next() string {
	p.t.Helper()
	_ = p.wire.SetReadDeadline(time.Now().Add(patience))
	head := make([]byte, 5)
	if _, err := io.ReadFull(p.wire, head); err != nil {
		return "no record: " + err.Error()
	}
	body := make([]byte, binary.BigEndian.Uint16(head[3:]))
	if _, err := io.ReadFull(p.wire, body); err != nil {
		return "half a record: " + err.Error()
	}
	plain, err := p.in.aead.Open(nil, p.in.nonce(), body, head)
	if err != nil {
		return err.Error()
	}
	switch content, kind := plain[:len(plain)-1], plain[len(plain)-1]; {
	case kind == dataRecord:
		return "data " + string(content)
	case kind == alertRecord:
		return fmt.Sprintf("alert %d %d", content[0], content[1])
	case kind == handshakeRecord && content[0] == keyUpdate:
		p.in.update()
		return "key update"
	default:
		return fmt.Sprintf("type %d: %q", kind, content)
	}
}
