package tcpmux

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// TestProof: a MAC is good for its side, session, nonces, counts and TLS connection, and for no others.
func TestProof(t *testing.T) {
	p := proof{
		secret: secret{1}, id: muxframe.ID{1}, diallerNonce: muxframe.Nonce{2}, listenerNonce: muxframe.Nonce{3}, binding: []byte("bound"),
		diallerReceived: 4, listenerReceived: 5,
	}
	m := p.mac(sideDialler)
	if !p.verify(sideDialler, m) || p.verify(sideListener, m) {
		t.Error("the side does not count")
	}
	for name, change := range map[string]func(p *proof){
		"secret":         func(p *proof) { p.secret = secret{2} },
		"id":             func(p *proof) { p.id[15]++ },
		"dialler":        func(p *proof) { p.diallerNonce[31]++ },
		"asked":          func(p *proof) { p.listenerNonce[31]++ },
		"theDiallerHas":  func(p *proof) { p.diallerReceived++ },
		"theListenerHas": func(p *proof) { p.listenerReceived++ },
		"counts swapped": func(p *proof) { p.diallerReceived, p.listenerReceived = p.listenerReceived, p.diallerReceived },
		"bound":          func(p *proof) { p.binding = nil },
	} {
		q := p
		if change(&q); q.verify(sideDialler, m) {
			t.Errorf("%s does not count", name)
		}
	}
}

// TestSecret: both sides agree on it, from all that they have said.
func TestSecret(t *testing.T) {
	one, oneKey := newKey()
	two, twoKey := newKey()
	agreed := func(hello, welcome, bound string) string {
		a, err := deriveSecret(one, twoKey, []byte(hello), []byte(welcome), []byte(bound))
		if err != nil {
			t.Fatal(err)
		}
		b, err := deriveSecret(two, oneKey, []byte(hello), []byte(welcome), []byte(bound))
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
	if _, err := deriveSecret(one, muxframe.Key{}, nil, nil, nil); err == nil {
		t.Error("a key is taken with which everybody agrees on the same")
	}
}
