package nethttp_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// asServer is set in the environment of a process that is this package's tests and serves, for TestLooksCostSystemCalls.
const asServer = "SHOCKWAVE_TEST_SERVES"

// The first check of a request's context is one system call, further checks make none, and a request that never checks
// makes none.
func TestLooksCostSystemCalls(t *testing.T) {
	if os.Getenv(asServer) != "" {
		serveLooks(t)
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	const requests = 50
	for _, tc := range []struct {
		looks string
		polls int // per request
	}{{"0", 0}, {"1", 1}, {"5", 1}} {
		calls := trace(t, strace, func(addr string) {
			exchange := exchanger(t, addr, "GET /"+tc.looks+" HTTP/1.1\r\nHost: a\r\n\r\n")
			for range requests - 1 { // exchanger has made the first request
				exchange()
			}
		})
		if n := bytes.Count(calls, []byte(`"HTTP/1.1 200 OK`)); n != requests {
			t.Fatalf("%s looks: %d responses were sent", tc.looks, n)
		}
		if n := bytes.Count(calls, []byte(" ppoll(")); n != requests*tc.polls {
			t.Errorf("%s looks: %d requests have checked for their peer %d times", tc.looks, requests, n)
		}
	}
}

// trace returns strace's output for a process that serves, while work talks to it at addr.
func trace(t *testing.T, strace string, work func(addr string)) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "calls")
	cmd := exec.Command(strace, "-f", "-qq", "-e", "signal=none", "-e", "trace=/send|write|ppoll", "-o", file,
		os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), asServer+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(patience, func() { cmd.Process.Kill() }).Stop()
	said := bufio.NewReader(stdout)
	addr, err := said.ReadString('\n')
	if err != nil {
		t.Fatalf("the serving process printed %q: %v", addr, err)
	}
	work(strings.TrimSpace(addr))
	stdin.Close()
	rest, _ := io.ReadAll(said)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the process that serves: %v: %s", err, rest)
	}
	calls, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// serveLooks serves requests that check their contexts as often as their paths say, until standard input ends.
func serveLooks(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range r.URL.Path[1] - '0' {
			if err := r.Context().Err(); err != nil {
				t.Errorf("a request's context has ended: %v", err)
			}
		}
	})
	fmt.Println(serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()}))
	wiretest.Within(t, "the end of standard input", endOf(os.Stdin))
}

// endOf returns a channel that is closed at the end of r.
func endOf(r io.Reader) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(io.Discard, r)
	}()
	return ended
}
