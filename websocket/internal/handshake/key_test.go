package handshake

import "testing"

// Each request has a valid key of its own.
func TestNewKey(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		key := newKey()
		if !validKey(key) {
			t.Errorf("%q is not valid", key)
		}
		seen[key] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d keys of 100", len(seen))
	}
}

// The key in RFC 6455 §1.3 gives the value for Sec-WebSocket-Accept in RFC 6455 §1.3.
func TestAcceptKey(t *testing.T) {
	if got := AcceptKey("dGhlIHNhbXBsZSBub25jZQ=="); got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Errorf("got %q", got)
	}
}
