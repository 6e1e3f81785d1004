package clitest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// Says waits until the program has said something that begins with prefix on a line of stderr, and returns the rest.
func (s *Script) Says(prefix string) (rest string) {
	s.T.Helper()
	wiretest.Eventually(s.T, prefix, func() bool {
		for line := range strings.Lines(s.Err.String()) {
			if r, ok := strings.CutPrefix(strings.TrimSpace(line), prefix); ok {
				rest = r
				return true
			}
		}
		return false
	})
	return rest
}

// Script is a program that a test talks to by lines of JSON.
type Script struct {
	T     *testing.T
	Cmd   *exec.Cmd
	In    io.WriteCloser
	Out   *bufio.Reader
	Err   Buffer
	Ended bool
	Stuck *time.Timer // kills it
}

// Object is an event, or what a test wants of one.
type Object = map[string]any

// Run runs the program.
func Run(t *testing.T, args ...string) *Script {
	t.Helper()
	return RunScript(t, ProgramCommand(t, args...), 2*Patience)
}

// RunScript starts the program, which is killed when it goes on for longer than most.
func RunScript(t *testing.T, cmd *exec.Cmd, most time.Duration) *Script {
	t.Helper()
	s := &Script{T: t, Cmd: cmd}
	var err error
	if s.In, err = s.Cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.Cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.Cmd.Stderr, s.Out = &s.Err, bufio.NewReader(out)
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Stuck = time.AfterFunc(most, func() { s.Cmd.Process.Kill() })
	t.Cleanup(func() {
		s.Stuck.Stop()
		s.Cmd.Process.Kill()
		if !s.Ended {
			s.Cmd.Wait()
		}
		if t.Failed() {
			t.Logf("the program said:\n%s", s.Err.String())
		}
	})
	return s
}

// Say writes lines to the program's stdin.
func (s *Script) Say(lines ...string) {
	s.T.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(s.In, l+"\n"); err != nil {
			s.T.Fatal(err)
		}
	}
}

// Next returns the next event.
func (s *Script) Next() Object {
	s.T.Helper()
	line, err := s.Out.ReadBytes('\n')
	if err != nil {
		s.T.Fatalf("no event: %v; standard error: %s", err, s.Err.String())
	}
	e := Object{}
	if err := json.Unmarshal(line, &e); err != nil {
		s.T.Fatalf("%s: %v", line, err)
	}
	return e
}

// Like reports whether an event has all members of want.
func Like(e, want Object) bool {
	for name, v := range want {
		if !reflect.DeepEqual(e[name], v) {
			return false
		}
	}
	return true
}

// Parse parses an event.
func Parse(t *testing.T, text string) Object {
	t.Helper()
	o := Object{}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// Wants wants these to be the next events: each with at least the members given.
func (s *Script) Wants(events ...string) (last Object) {
	s.T.Helper()
	for _, want := range events {
		if last = s.Next(); !Like(last, Parse(s.T, want)) {
			s.T.Fatalf("got %v, want %s", last, want)
		}
	}
	return last
}

// WantsInAnyOrder wants these to be the next events, whichever comes first: what a command
// starts may be told before the command is answered.
func (s *Script) WantsInAnyOrder(events ...string) {
	s.T.Helper()
	left := make([]Object, len(events))
	for i, want := range events {
		left[i] = Parse(s.T, want)
	}
	for len(left) > 0 {
		e := s.Next()
		i := slices.IndexFunc(left, func(want Object) bool { return Like(e, want) })
		if i < 0 {
			s.T.Fatalf("got %v, want one of %v", e, left)
		}
		left = slices.Delete(left, i, i+1)
	}
}

// Waits returns the first event that is like want; those before are not looked at.
func (s *Script) Waits(want string) Object {
	s.T.Helper()
	for w := Parse(s.T, want); ; {
		if e := s.Next(); Like(e, w) {
			return e
		}
	}
}

// Ends wants the program to end with code, and returns the events until then.
func (s *Script) Ends(code int) (rest []Object) {
	s.T.Helper()
	out, err := io.ReadAll(s.Out)
	if err != nil {
		s.T.Error(err)
	}
	s.Ended = true
	s.Cmd.Wait()
	if got := s.Cmd.ProcessState.ExitCode(); got != code {
		s.T.Errorf("the program ended with %v, want exit code %d", s.Cmd.ProcessState, code)
	}
	for line := range bytes.Lines(out) {
		rest = append(rest, Parse(s.T, string(line)))
	}
	return rest
}

// Closes ends the program, and wants that to be in order.
func (s *Script) Closes() {
	s.T.Helper()
	s.Say(`{"do":"close","tag":"end"}`)
	rest := s.Ends(0)
	if n := len(rest); n < 2 || !Like(rest[n-1], Object{"event": "closed", "undelivered": 0.0}) {
		s.T.Errorf("the end is %v", rest)
	}
}

// Signal sends a signal to the program.
func (s *Script) Signal(sig os.Signal) {
	s.T.Helper()
	if err := s.Cmd.Process.Signal(sig); err != nil {
		s.T.Fatal(err)
	}
}

// Filled returns n bytes, of which byte i is i mod 251.
func Filled(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return string(b)
}
