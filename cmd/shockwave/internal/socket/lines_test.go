package socket

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// Flags that do not fit are refused, and help explains the rest.
func TestSocketCommandLines(t *testing.T) {
	clitest.TestLines(t, program, []clitest.Line{
		{"socket", 2, "", "socket: it takes -bind URL or -connect URL"},
		{"socket -h", 0, "-max-message", ""},
		{"socket -h", 0, "-slow POLICY", ""},
		{"socket -bind http://127.0.0.1:80", 2, "", "the scheme is not tcp"},
		{"socket -bind tcp://127.0.0.1", 2, "", "no port"},
		{"socket -bind tcp://127.0.0.1:65536", 2, "", "up to 65535"},
		{"socket -bind tcp://127.0.0.1:0/path", 2, "", "a path has no meaning"},
		{"socket -bind ws://127.0.0.1:0/path?query", 2, "", "a query has no meaning"},
		{"socket -bind tcp://127.0.0.1:0 tcp://127.0.0.1:0", 2, "", "unexpected argument"},
		{"socket -bind tcp://127.0.0.1:0 -cert a", 2, "", "-cert and -key belong together"},
		{"socket -bind tcp://127.0.0.1:0 -slow never", 2, "", "want block, fail, drop or close"},
		{"socket -bind tcp://127.0.0.1:0 -last-id 0", 2, "", "-last-id wants"},
		{"socket -bind tcp://127.0.0.1:0 -last-id 4294967296", 2, "", "-last-id wants"},
		{"socket -bind tcp://127.0.0.1:0 -redial 2s,1s", 2, "", "shorter than the first"},
		{"socket -bind tcp://127.0.0.1:0 -max-message 1XB", 2, "", "want a number of bytes"},
		{"socket -bind tcp://127.0.0.1:0 -subprotocol a,,b", 2, "", "want words with commas"},
		{"socket -bind ws://127.0.0.1:0 -prefixed -text", 2, "", "exclude each other"},
		{"socket -bind tls://127.0.0.1:0 -cert ./none -key ./none", 1, "", "none"},
		{"socket -connect tls://127.0.0.1:1 -ca ./none", 1, "", "none"},
		{"socket -bind tcp://192.0.2.1:5555", 1, "", "192.0.2.1"},
	})
}
