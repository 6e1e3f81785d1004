package secret

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// A MAC is valid for its side, session, nonces, counts and TLS connection, and for no others.
func TestProof(t *testing.T) {
	p := Proof{
		Secret: Secret{1}, ID: muxframe.ID{1}, DiallerNonce: muxframe.Nonce{2}, ListenerNonce: muxframe.Nonce{3}, Binding: []byte("bound"),
		DiallerReceived: 4, ListenerReceived: 5,
	}
	m := p.MAC(Dialler)
	if !p.Verify(Dialler, m) || p.Verify(Listener, m) {
		t.Error("the side does not count")
	}
	for name, change := range map[string]func(p *Proof){
		"secret":         func(p *Proof) { p.Secret = Secret{2} },
		"id":             func(p *Proof) { p.ID[15]++ },
		"dialler":        func(p *Proof) { p.DiallerNonce[31]++ },
		"asked":          func(p *Proof) { p.ListenerNonce[31]++ },
		"theDiallerHas":  func(p *Proof) { p.DiallerReceived++ },
		"theListenerHas": func(p *Proof) { p.ListenerReceived++ },
		"counts swapped": func(p *Proof) { p.DiallerReceived, p.ListenerReceived = p.ListenerReceived, p.DiallerReceived },
		"bound":          func(p *Proof) { p.Binding = nil },
	} {
		q := p
		if change(&q); q.Verify(Dialler, m) {
			t.Errorf("%s does not count", name)
		}
	}
}

// Both sides derive the same secret, and it depends on everything that was said.
func TestSecret(t *testing.T) {
	one, oneKey := NewKey()
	two, twoKey := NewKey()
	agreed := func(hello, welcome, bound string) string {
		a, err := Derive(one, twoKey, []byte(hello), []byte(welcome), []byte(bound))
		if err != nil {
			t.Fatal(err)
		}
		b, err := Derive(two, oneKey, []byte(hello), []byte(welcome), []byte(bound))
		if err != nil || a != b {
			t.Fatalf("%x and %x, %v", a, b, err)
		}
		return string(a[:])
	}
	seen := map[string]bool{}
	for _, parts := range [][3]string{{"hello", "welcome", ""}, {"hellow", "elcome", ""}, {"hello", "", "welcome"}, {"", "", ""}, {"hella", "welcome", ""},
		{"a", "b\x00\x00\x00\x00c", "d"}, {"a", "b", "c\x00\x00\x00\x00d"}} {
		seen[agreed(parts[0], parts[1], parts[2])] = true
	}
	if len(seen) != 7 {
		t.Error("what was said does not count")
	}
	if _, err := Derive(one, muxframe.Key{}, nil, nil, nil); err == nil {
		t.Error("a key is taken with which everybody agrees on the same")
	}
}
