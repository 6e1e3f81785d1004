package sharedport

import (
	"bytes"
	"crypto/rand"
	"testing"
)

// testKeys returns the keys of a secret whose bytes are all b.
func testKeys(t testing.TB, b byte) *keyring {
	t.Helper()
	k, err := newKeyring(bytes.Repeat([]byte{b}, minKey))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A connection identifier names its process to everyone who has the key. To others it looks random, and an identifier that they
// change or invent names no process.
func TestIDs(t *testing.T) {
	keys, other := testKeys(t, 1), testKeys(t, 2)
	seen := map[string]bool{}
	for _, process := range []uint16{0, 1, 2, 255, 256, maxProcess} {
		for range 10 {
			id := appendID(nil, keys.id, process)
			if got, ok := processOf(keys.id, id); len(id) != idLen || got != process || !ok || seen[string(id)] {
				t.Errorf("%d: %x is %d, %v", process, id, got, ok)
			}
			seen[string(id)] = true
			if _, ok := processOf(other.id, id); ok {
				t.Errorf("%x has another key", id)
			}
			for i := range id {
				forged := bytes.Clone(id)
				forged[i] ^= 0x80
				if _, ok := processOf(keys.id, forged); ok {
					t.Errorf("byte %d of %x may be changed", i, id)
				}
			}
			for n := range idLen {
				if _, ok := processOf(keys.id, id[:n]); ok {
					t.Errorf("%d bytes of %x are enough", n, id)
				}
			}
		}
	}
	for range 10_000 {
		id := make([]byte, idLen)
		rand.Read(id)
		id[0] &^= idConfig
		if process, ok := processOf(keys.id, id); ok {
			t.Fatalf("%x is of process %d", id, process)
		}
	}
}

// Each purpose has a key of its own.
func TestKeysDiffer(t *testing.T) {
	k := testKeys(t, 1)
	if k.reset == k.token || k.reset == testKeys(t, 2).reset || k.reset != testKeys(t, 1).reset {
		t.Errorf("got %x, %x; want keys that depend on the secret and the purpose alone", k.reset, k.token)
	}
}

// Processes have different identifiers, and the same keys for resets and for proofs of addresses.
func TestIdentity(t *testing.T) {
	a, b := &Identity{testKeys(t, 1), 1}, &Identity{testKeys(t, 1), 2}
	if a.ResetKey() != b.ResetKey() || a.TokenKey() != b.TokenKey() || a.ResetKey() == a.TokenKey() {
		t.Error("the keys differ")
	}
	for want, of := range map[uint16]*Identity{1: a, 2: b} {
		id := of.AppendID(nil)
		if process, ok := processOf(testKeys(t, 1).id, id); process != want || !ok || len(id) != of.IDLen() {
			t.Errorf("%v is of %d, %v; want %d", id, process, ok, want)
		}
	}
}

// The identifier of a packet is found in both kinds of header, and truncated packets have none.
func TestDestination(t *testing.T) {
	id := appendID(nil, testKeys(t, 1).id, 7)
	for name, tc := range map[string]struct {
		head, tail []byte
		fine       bool
	}{
		"short":                     {[]byte{0x41}, []byte("rest"), true},
		"short, nothing behind it":  {[]byte{0x7f}, nil, true},
		"long":                      {[]byte{0xc3, 0, 0, 0, 1, idLen}, []byte("\x00rest"), true},
		"long, another version":     {[]byte{0x80, 0x6b, 0x33, 0x43, 0xcf, idLen}, nil, true},
		"long, a shorter one":       {[]byte{0xc3, 0, 0, 0, 1, idLen - 1}, []byte("rest"), false},
		"long, a longer one":        {[]byte{0xc3, 0, 0, 0, 1, 255}, []byte("rest"), false},
		"not QUIC (RFC 9443): STUN": {[]byte{0x01}, []byte("rest"), false},
	} {
		packet := append(append(bytes.Clone(tc.head), id...), tc.tail...)
		if got := destination(packet); bytes.Equal(got, id) != tc.fine {
			t.Errorf("%s: got %x", name, got)
		}
		for n := range len(tc.head) + idLen {
			if got := destination(packet[:n:n]); bytes.Equal(got, id) {
				t.Errorf("%s: %d bytes have %x", name, n, got)
			}
		}
	}
}

// Only a packet with a long header and an identifier of at least eight bytes may begin a connection (RFC 9000 §7.2).
func TestNewConnection(t *testing.T) {
	for n := range 256 {
		packet := append([]byte{0xc3, 0, 0, 0, 1, byte(n)}, bytes.Repeat([]byte{7}, n)...)
		if got := newConnection(packet); (got != nil) != (n >= 8) || got != nil && !bytes.Equal(got, packet[6:]) {
			t.Errorf("%d bytes: got %x", n, got)
		}
		for cut := range packet {
			if got := newConnection(packet[:cut:cut]); got != nil {
				t.Errorf("%d of %d bytes: got %x", cut, len(packet), got)
			}
		}
		if packet[0] = 0x43; newConnection(packet) != nil {
			t.Error("a short header")
		}
	}
}

// No packet does any harm, and the identifier that is found is a part of the packet.
func FuzzDestination(f *testing.F) {
	keys := testKeys(f, 1)
	f.Add(append([]byte{0x41}, appendID(nil, keys.id, 3)...))
	f.Add(append([]byte{0xc3, 0, 0, 0, 1, idLen}, appendID(nil, keys.id, 3)...))
	f.Fuzz(func(t *testing.T, p []byte) {
		id := destination(p[:len(p):len(p)])
		if id != nil && (len(id) != idLen || !bytes.Contains(p, id)) {
			t.Errorf("%x in %x", id, p)
		}
		processOf(keys.id, id)
		if id := newConnection(p[:len(p):len(p)]); !bytes.Contains(p, id) {
			t.Errorf("%x in %x", id, p)
		}
	})
}
