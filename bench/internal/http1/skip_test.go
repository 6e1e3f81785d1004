package http1

import (
	"strings"
	"syscall"
	"testing"
)

func TestMissingProgramsAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := haveStrace(); err == nil || !strings.Contains(err.Error(), "strace is not installed") {
		t.Errorf("without strace: %v", err)
	}
}

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
