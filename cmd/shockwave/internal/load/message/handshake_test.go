package message

import (
	"strings"
	"testing"
)

// A server must compress as it was asked to.
func TestHandshakesAboutCompression(t *testing.T) {
	for _, c := range []struct{ answer, alone, takeover string }{
		{"", "does not compress", "does not compress"},
		{"permessage-deflate", "each message by itself", ""},
		{"permessage-deflate; server_max_window_bits=12", "each message by itself", ""},
		{"permessage-deflate; client_max_window_bits=12", "nobody offered", "nobody offered"},
		{"permessage-deflate; client_no_context_takeover", "each message by itself", "does not keep"},
		{"Permessage-Deflate ; SERVER_no_context_takeover", "", "does not keep"},
		{"x-webkit-deflate-frame", "nobody offered", "nobody offered"},
	} {
		for _, m := range []Spec{{Deflate: true}, {Deflate: true, Takeover: true}} {
			want := c.alone
			if m.Takeover {
				want = c.takeover
			}
			err := m.checkExtensions(c.answer)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%q, takeover %v: %v, want %q", c.answer, m.Takeover, err, want)
			}
		}
	}
}
