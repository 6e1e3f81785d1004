//go:build unix

package bench

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// A signal ends a run of an hour with a report.
func TestBenchSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String()+" has it report what it has", func(t *testing.T) {
			t.Parallel()
			s, asked := askedServer(t, 200, func(http.ResponseWriter) {})
			out, code := interrupted(t, sig, asked, "bench", "-c", "2", "-d", "1h", s.URL)
			if code != 0 || !strings.Contains(out, "; ended after ") || !strings.Contains(out, "p99.99") {
				t.Errorf("exit code %d:\n%s", code, out)
			}
		})
	}
	t.Run("errors count then too", func(t *testing.T) {
		t.Parallel()
		s, asked := askedServer(t, 200, func(w http.ResponseWriter) { w.WriteHeader(500) })
		out, code := interrupted(t, syscall.SIGINT, asked, "bench", "-c", "2", "-d", "1h", s.URL)
		if code != 1 || !strings.Contains(out, "× 500") {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})
	t.Run("an answer that does not come is not waited for", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		s, asked := askedServer(t, 2, func(http.ResponseWriter) { <-release })
		t.Cleanup(func() { close(release) }) // before the server's Close, which waits for the handlers
		out, code := interrupted(t, syscall.SIGINT, asked, "bench", "-c", "2", "-d", "1h", "-timeout", "1h", s.URL)
		if code != 1 || !strings.Contains(out, "nothing was answered") {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})
}

// askedServer answers as it is told; asked is closed when many requests have come.
func askedServer(t *testing.T, many int, answer func(http.ResponseWriter)) (s *httptest.Server, asked chan struct{}) {
	asked = make(chan struct{})
	var mu sync.Mutex
	requests := 0
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		if requests++; requests == many {
			close(asked)
		}
		mu.Unlock()
		answer(w)
	}))
	t.Cleanup(s.Close)
	return s, asked
}

// interrupted runs the program until asked is closed, sends sig, and returns all it wrote and its exit code.
func interrupted(t *testing.T, sig syscall.Signal, asked chan struct{}, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	cmd := clitest.ProgramCommand(t, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	defer stuck.Stop()
	select {
	case <-asked:
	case <-time.After(clitest.Patience):
		t.Error("no request comes")
	}
	cmd.Process.Signal(sig)
	cmd.Wait()
	return out.String(), cmd.ProcessState.ExitCode()
}
