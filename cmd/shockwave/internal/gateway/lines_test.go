package gateway

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// Flags that do not fit are refused, and help explains the rest.
func TestGatewayCommandLines(t *testing.T) {
	clitest.TestLines(t, program, []clitest.Line{
		{"gateway", 2, "", "gateway: it takes -listen URL and -to PATH=URL"},
		{"gateway -h", 0, "-half-close", ""},
		{"gateway -listen ws://127.0.0.1:0", 2, "", "it takes -listen URL and -to PATH=URL"},
		{"gateway -to /=tcp://127.0.0.1:1", 2, "", "it takes -listen URL and -to PATH=URL"},
		{"gateway -listen http://127.0.0.1:0", 2, "", "the scheme is not ws or wss"},
		{"gateway -listen ws://127.0.0.1:0/path", 2, "", "paths belong to -to"},
		{"gateway -listen ws://127.0.0.1:65536", 2, "", "up to 65535"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -to /a=tcp://h:2", 2, "", "/a leads to tcp://h:1 already"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=http://h:1", 2, "", "the scheme is not tcp or tls"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -raw -text", 2, "", "exclude each other"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -cert a", 2, "", "-cert and -key belong together"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -max-message 1XB", 2, "", "want a number of bytes"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -idle soon", 2, "", "want a time"},
		{"gateway -listen wss://127.0.0.1:0 -to /a=tcp://h:1 -cert ./none -key ./none", 1, "", "none"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tls://h:1 -ca ./none", 1, "", "none"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -log ./no-such-directory/log", 1, "", "no-such-directory"},
		{"gateway -listen ws://192.0.2.1:80 -to /a=tcp://h:1", 1, "", "192.0.2.1"},
	})
}
