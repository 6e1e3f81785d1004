package http1

import (
	"strings"
	"syscall"
	"testing"
)

// The error names the program that is missing.
func TestMissingProgramsAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := haveStrace(); err == nil || !strings.Contains(err.Error(), "strace is not installed") {
		t.Errorf("without strace: %v", err)
	}
}

// A limit of open files that is too low for the idle connections is an error.
func TestTooFewFilesAreNamed(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	err := manyFiles()
	if few := limit.Max < idleConns; few != (err != nil) {
		t.Errorf("with a limit of %d files: %v", limit.Max, err)
	}
}
