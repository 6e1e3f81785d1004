package serve

import (
	"testing"
)

// A program that "go run" has built is shown as "go run".
func TestProgramName(t *testing.T) {
	for arg0, want := range map[string]string{
		"shockwave":             "shockwave",
		"./shockwave":           "./shockwave",
		"/usr/bin/shockwave":    "/usr/bin/shockwave",
		"/x/go-build1/exe/main": "go run ./cmd/shockwave",
	} {
		if got := programName(arg0); got != want {
			t.Errorf("programName(%q) = %q, want %q", arg0, got, want)
		}
	}
}
