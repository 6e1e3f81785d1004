package nethttp

import (
	"log"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestNativeLogGoesToErrorLog(t *testing.T) {
	var out strings.Builder
	s := &Server{ErrorLog: log.New(&out, "", 0)}
	l := slog.New(logHandler{to: s}).With("conn", 7)
	l.Debug("not said")
	l.Info("not said")
	l.Warn("accept failed", "error", "too many files", "pause", "5ms")
	if got, want := out.String(), "http: accept failed conn=7 error=too many files pause=5ms\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// exhausted is a listener that has once no descriptors left, and is then closed.
type exhausted struct {
	net.Listener
	asked int
}

func (l *exhausted) Accept() (net.Conn, error) {
	if l.asked++; l.asked == 1 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return nil, net.ErrClosed
}

func (l *exhausted) Close() error { return nil }

func TestAcceptErrorsAreLogged(t *testing.T) {
	var out strings.Builder
	s := &Server{ErrorLog: log.New(&out, "", 0)}
	defer s.Close()
	if err := s.Serve(&exhausted{}); err != net.ErrClosed {
		t.Errorf("Serve returned %v", err)
	}
	if !strings.HasPrefix(out.String(), "http: accept failed error=") {
		t.Errorf("%q", out.String())
	}
}

// Without an ErrorLog, messages go to the log package's standard logger, also those of a Handler.
func TestLogWithoutErrorLog(t *testing.T) {
	var out strings.Builder
	log.SetOutput(&out)
	defer log.SetOutput(os.Stderr)
	(&Server{}).logf("of a %s", "Server")
	unowned{}.logf("of a %s", "Handler")
	for _, want := range []string{"of a Server\n", "of a Handler\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("logged %q without %q", out.String(), want)
		}
	}
}
