package netconn

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// WaitUntilBlocked waits until a goroutine blocks for reason, in the words of a stack dump, within the given function. It
// serves tests of what happens between two steps of one goroutine.
func WaitUntilBlocked(t testing.TB, reason, function string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !Blocked(reason, function); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for a goroutine that blocks in %s", function)
		}
	}
}

// Blocked reports whether a goroutine blocks so now.
func Blocked(reason, function string) bool {
	stacks := make([]byte, 1<<20)
	for g := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		head, _, _ := strings.Cut(g, "\n")
		if strings.Contains(head, "["+reason) && strings.Contains(g, function+"(") {
			return true
		}
	}
	return false
}

// silent is a protocol that takes all input and sends nothing.
type silent struct{}

func (silent) Data(_ *Conn, in []byte) (int, error) { return len(in), nil }
func (silent) End(*Conn, error)                     {}

// noOwner is an owner whose Drain sends no goodbye.
type noOwner struct{}

func (noOwner) Drain() {}
