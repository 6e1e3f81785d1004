package h3peer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// A long response has the length that the path asks for, and an invalid length is an error.
func TestLongAnswersHaveTheLengthThatIsAskedFor(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1 << 20, 3: 3 << 20} {
		kind, response := Expect(Stream(n), 0)
		if len(response) != want || kind != streamType {
			t.Errorf("%s has %d bytes of %q", Stream(n), len(response), kind)
		}
		var sent bytes.Buffer
		if write(&sent, want); !bytes.Equal(sent.Bytes(), response) {
			t.Errorf("%s: %d other bytes are written", Stream(n), sent.Len())
		}
	}
	for _, query := range []string{"", "mib=", "mib=-1", "mib=1024", "m=1"} {
		if n, err := length([]byte(query)); err == nil {
			t.Errorf("%q is %d, want an error", query, n)
		}
	}
}

// Other paths have the responses of package peer.
func TestOtherPathsAreThoseOfPackagePeer(t *testing.T) {
	if kind, response := Expect(peer.PathPost, 1024); string(response) != "1024" || !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("a body of 1024 bytes: got %q, %q", response, kind)
	}
}

// An unknown peer is an error that names it.
func TestUnknownPeer(t *testing.T) {
	if err := Serve("apache", nil); err == nil || !strings.Contains(err.Error(), `"apache"`) || Known("apache") {
		t.Errorf("apache: %v", err)
	}
}
