package serve

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// Flags that do not fit are refused, and help explains the rest.
func TestServeCommandLines(t *testing.T) {
	clitest.TestLines(t, program, []clitest.Line{
		{"serve -h", 0, "-proxy", ""},
		{"serve -port 80", 2, "", "serve: flag provided but not defined: -port"},
		{"serve here", 2, "", `serve: unexpected argument "here"`},
		{"serve -dir . -proxy http://127.0.0.1:1", 2, "", "exclude each other"},
		{"serve -dotfiles", 2, "", "-dotfiles is about the files of -dir"},
		{"serve -rewrite-host", 2, "", "-rewrite-host is about the service of -proxy"},
		{"serve -addr 127.0.0.1:0 -log ./no-such-directory/log", 1, "", "no-such-directory"},
		{"serve -proxy 127.0.0.1:3000", 2, "", "serve: -proxy wants a URL"},
		{"serve -proxy ftp://127.0.0.1", 2, "", "serve: -proxy wants a URL"},
		{"serve -addr 127.0.0.1:0 -dir ./no-such-directory", 1, "", "no-such-directory"},
		{"serve -addr 127.0.0.1:no-such-port", 1, "", "no-such-port"},
	})
}
