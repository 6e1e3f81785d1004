package netlisten_test

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netlisten"
)

// Each failure doubles the pause, from 5 ms to a second; a success resets it.
func TestPause(t *testing.T) {
	var p netlisten.Pause
	for _, want := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000} {
		if got := p.Failed(); got != want*time.Millisecond {
			t.Errorf("a pause of %v, want %d ms", got, want)
		}
	}
	if p.Succeeded(); p.Failed() != 5*time.Millisecond {
		t.Error("long after a success")
	}
}

// A lack of descriptors is temporary, a closed listener is not.
func TestIsTemporary(t *testing.T) {
	lack := &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	if !netlisten.IsTemporary(lack) {
		t.Error("too many open files: final")
	}
	for _, err := range []error{net.ErrClosed, errors.New("other")} {
		if netlisten.IsTemporary(err) {
			t.Errorf("%v: temporary", err)
		}
	}
}
