package site

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// The printed URL can be opened, also for an unspecified address.
func TestListensAt(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:80": "127.0.0.1:80", "[::1]:80": "[::1]:80", "0.0.0.0:80": "localhost:80", "[::]:80": "localhost:80",
	} {
		a, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := listensAt("http", a); got != "http://"+want+"/" {
			t.Errorf("listensAt(%s) = %s, want http://%s/", addr, got, want)
		}
	}
	if got := listensAt("https", &net.UnixAddr{Net: "unix", Name: "/run/a"}); got != "unix:/run/a" {
		t.Errorf("listensAt(/run/a) = %s, want unix:/run/a", got)
	}
}

// somewhere is a site for servers that do not look where they serve.
var somewhere = Site{Listener: struct{ net.Listener }{}}

// stuck is an Server whose requests never finish.
type stuck struct {
	Server
	closed chan struct{}
}

func (s stuck) Serve(net.Listener) error { <-s.closed; return http.ErrServerClosed }

func (s stuck) Close() error { close(s.closed); return nil }

func (s stuck) Shutdown(ctx context.Context) error {
	return context.DeadlineExceeded // as after the whole grace
}

// Requests that do not finish in time are an error, unless a second signal came.
func TestUnfinishedRequestsAreAnError(t *testing.T) {
	s := cli.Stop{Now: context.Background()}
	var first context.CancelFunc
	s.Gracefully, first = context.WithCancel(context.Background())
	first()
	if err := Run(s, stuck{closed: make(chan struct{})}, somewhere); err == nil {
		t.Error("requests were cut off, and nobody was told")
	}
}

// failing is an Server that cannot serve.
type failing struct{ Server }

var errFailing = errors.New("no more descriptors")

func (failing) Serve(net.Listener) error { return errFailing }

// An error of the listener ends the program.
func TestFailureToServeEndsTheProgram(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	if err := Run(cli.Stop{Gracefully: ctx, Now: ctx}, failing{}, somewhere); !errors.Is(err, errFailing) {
		t.Errorf("got %v, want %v", err, errFailing)
	}
}
