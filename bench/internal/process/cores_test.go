package process

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// A command is bound to its cores, and has as many Go processors.
func TestCommandsKeepToTheirCores(t *testing.T) {
	for cores, want := range map[Cores]string{
		First: "taskset -c 0 prog arg", Second: "taskset -c 1 prog arg", Both: "prog arg",
	} {
		cmd := Command(context.Background(), cores, "prog", "arg")
		if got := strings.Join(cmd.Args, " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		procs := "GOMAXPROCS=1"
		if cores == Both {
			procs = "GOMAXPROCS=2"
		}
		if !slices.Contains(cmd.Env, procs) {
			t.Errorf("%q has no %s", want, procs)
		}
	}
}

// The error names taskset if it is missing.
func TestMissingTasksetIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := CanPin(); err == nil || !strings.Contains(err.Error(), "taskset is not installed") {
		t.Errorf("without taskset: %v", err)
	}
}
