package keep

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// flatProcess is a process of beFlat, whose memory is looked at.
type flatProcess struct {
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
	tmp string
}

// startFlat starts a process that is what.
func startFlat(t *testing.T, what string, env ...string) *flatProcess {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("needs /proc to see another process's memory")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &flatProcess{tmp: t.TempDir(), cmd: exec.Command(self)}
	s.cmd.Env = append(append(os.Environ(), servingVariable+"="+what, "TMPDIR="+s.tmp), env...)
	s.cmd.Stderr = os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		in.Close()
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("the process: %v", err)
		}
	})
	return s
}

// line returns the next line that the process prints.
func (s *flatProcess) line(t *testing.T) string {
	t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// do has the process obey an order, and returns what it prints.
func (s *flatProcess) do(t *testing.T, order string) string {
	t.Helper()
	fmt.Fprintln(s.in, order)
	return s.line(t)
}

// settle has the process give back what memory it can, and begins a new peak. It returns what memory is left.
func (s *flatProcess) settle(t *testing.T) int64 {
	t.Helper()
	for range 2 { // what a pool holds lives through one collection
		if line := s.do(t, "collect"); line != "collect" {
			t.Fatalf("the process replied %q", line)
		}
	}
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0); err != nil {
		t.Skip("cannot begin a new peak of memory: ", err)
	}
	return s.status(t, "VmRSS:")
}

// peak returns the most memory that the process had since settle.
func (s *flatProcess) peak(t *testing.T) int64 { return s.status(t, "VmHWM:") }

// status reads a line of the process's /proc/PID/status in bytes.
func (s *flatProcess) status(t *testing.T, name string) (n int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(text), name)
	if _, err := fmt.Sscanf(line, "%d kB", &n); err != nil {
		t.Fatalf("no %s: %v", name, err)
	}
	return n << 10
}
