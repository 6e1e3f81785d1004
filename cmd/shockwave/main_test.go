package main

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, run) }

// The program's own words, and a command by its name, answer on the right stream with the right exit code.
func TestCommandLine(t *testing.T) {
	clitest.TestLines(t, run, []clitest.Line{
		{"", 2, "", "shockwave serve"},
		{"help", 0, "shockwave bench", ""},
		{"help serve", 0, "-proxy", ""},
		{"help doctor", 0, "-json", ""},
		{"help", 0, "shockwave doctor", ""},
		{"help help", 0, "shockwave bench", ""},
		{"help server", 2, "", `no command "server"`},
		{"-h", 0, "shockwave echo", ""},
		{"version", 0, "shockwave ", ""},
		{"server", 2, "", `no command "server"`},
		{"serve -h", 0, "-proxy", ""},
		{"bench compare", 2, "", "bench compare: it takes two files"},
		{"doctor -conns 0", 2, "", "doctor: -conns wants at least 1"},
	})
}
