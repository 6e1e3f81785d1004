// Package program runs programs of other projects as peers of a test. scripts/peers installs those that are in package
// registries into the folder tmp/peers of the repository, which is searched before the PATH.
package program

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// Installed returns the folder that scripts/peers installs into.
func Installed() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "../../../tmp/peers")
}

// Find returns the path of a program with one of the names. It skips the test if there is none.
func Find(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		for _, place := range []string{filepath.Join(Installed(), "bin", name), name} {
			if path, err := exec.LookPath(place); err == nil {
				return path
			}
		}
	}
	t.Skipf("no %s on this machine: scripts/peers installs what comes from package registries", strings.Join(names, " or "))
	return ""
}

// Program is a running program. At the end of its test it is killed, with the processes that it has started.
type Program struct {
	t     testing.TB
	name  string
	cmd   *exec.Cmd
	lines chan string // lines of its output; dropped when the channel is full
	ended chan error

	mu   sync.Mutex
	said strings.Builder // all of its output
}

// Start runs the program at path.
func Start(t testing.TB, path string, args ...string) *Program {
	t.Helper()
	p := &Program{
		t: t, name: filepath.Base(path), cmd: exec.Command(path, args...),
		lines: make(chan string, 100), ended: make(chan error, 1),
	}
	p.cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(Installed(), "node_modules"), "PYTHONUNBUFFERED=1")
	group(p.cmd)
	p.cmd.WaitDelay = time.Second // for child processes that keep the output open
	out, in := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = in, in
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		p.listen(out)
	}()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		err := p.cmd.Wait()
		in.Close()
		<-heard
		p.ended <- err
	}()
	t.Cleanup(func() {
		kill(p.cmd)
		<-gone
	})
	return p
}

// listen reads the lines that the program prints.
func (p *Program) listen(out io.Reader) {
	defer close(p.lines)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		p.mu.Lock()
		p.said.WriteString(line)
		p.mu.Unlock()
		select {
		case p.lines <- strings.TrimSpace(line):
		default: // the test does not read the lines
		}
		if err != nil {
			return
		}
	}
}

// Said returns what the program has printed so far.
func (p *Program) Said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// After waits for the first line that begins with a prefix, and returns the rest of it.
func (p *Program) After(prefix string) string {
	p.t.Helper()
	for late := time.After(both.Patience); ; {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("%s has ended without %q:\n%s", p.name, prefix, p.Said())
			}
			if rest, ok := strings.CutPrefix(line, prefix); ok {
				return rest
			}
		case <-late:
			p.t.Fatalf("%s does not say %q:\n%s", p.name, prefix, p.Said())
		}
	}
}

// Wait waits until the program has ended, for at most patience. It returns an error if the program failed.
func (p *Program) Wait(patience time.Duration) error {
	p.t.Helper()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(patience):
		p.t.Fatalf("%s has not ended after %v:\n%s", p.name, patience, p.Said())
		return nil
	}
}
