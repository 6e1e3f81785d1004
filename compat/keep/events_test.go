package keep

import (
	"bufio"
	"flag"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// eventsFor is how long the streams of these tests live.
var eventsFor = flag.Duration("events", 2*time.Second, "how long event streams live")

const streams = 200

// eachServer runs test with an event source on net/http's server, on ours, and on ours with every rule for slow peers
// so tight that it would strike many times in the shortest stream. Of each of paths there is a stream.
func eachServer(t *testing.T, paths []string, test func(t *testing.T, s *eventSource, all []*listener)) {
	tight := server.Config{
		ReadHeaderTimeout: 100 * time.Millisecond, IdleTimeout: 100 * time.Millisecond, IdlePark: 50 * time.Millisecond,
		RateGrace: 50 * time.Millisecond, MinReadRate: 1 << 20, MinWriteRate: 1 << 20,
	}
	for _, c := range []struct {
		name string
		make func(h http.Handler) anyServer
	}{
		{"net-http", func(h http.Handler) anyServer { return &http.Server{Handler: h} }},
		{"nethttp", func(h http.Handler) anyServer { return &nethttp.Server{Handler: h} }},
		{"nethttp, tight", func(h http.Handler) anyServer {
			cfg := tight
			cfg.Handler = nethttp.Handler(h)
			return server.NewServer(cfg)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, l := &eventSource{streams: map[string]*eventStream{}}, both.Listen(t)
			all := make([]*listener, len(paths))
			for i, path := range paths {
				all[i] = ask(t, l.Addr().String(), path)
			}
			// Only now that all have asked: how fast clients ask is not what this is about.
			srv := c.make(s)
			run(t, srv.Close, func() error { return srv.Serve(l) })
			test(t, s, all)
		})
	}
}

// 200 clients get events one after the other until they leave, and every handler learns of that.
func TestEvents(t *testing.T) {
	paths := make([]string, streams)
	for n := range paths {
		paths[n] = fmt.Sprintf("/stream/%d", n)
	}
	eachServer(t, paths, func(t *testing.T, s *eventSource, listeners []*listener) {
		end := time.Now().Add(*eventsFor)
		var all sync.WaitGroup
		for _, l := range listeners {
			all.Go(func() {
				if err := l.open(); err != nil {
					t.Error(err)
					return
				}
				for i := 0; i < 3 || time.Now().Before(end); i++ {
					if err := l.exchange(s.stream(l.path), fmt.Sprintf("event %d of %s", i, l.path)); err != nil {
						t.Errorf("event %d of %s: %v", i, l.path, err)
						return
					}
					time.Sleep(100 * time.Millisecond) // the pace of the stream; nothing depends on it
				}
				if err := l.leave(s.stream(l.path)); err != nil {
					t.Errorf("%s: %v", l.path, err)
				}
			})
		}
		all.Wait()
	})
}

// A stream on which nothing is sent does not count as slow, and its connection stays.
func TestSilentStream(t *testing.T) {
	eachServer(t, []string{"/silent"}, func(t *testing.T, s *eventSource, all []*listener) {
		l := all[0]
		if err := l.open(); err != nil {
			t.Fatal(err)
		}
		e := s.stream(l.path)
		for i := range 2 {
			if err := l.exchange(e, fmt.Sprint("before and after ", i)); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				select {
				case <-e.gone:
					t.Fatal("the request's context ended while nothing was sent")
				case <-time.After(*eventsFor):
				}
			}
		}
		if err := l.leave(e); err != nil {
			t.Error(err)
		}
	})
}

// listener is a client of an event stream.
type listener struct {
	nc   net.Conn
	path string
	in   *bufio.Reader
}

// ask asks for the stream at path, whether or not anybody serves it yet. The connection is closed when the test ends.
func ask(t *testing.T, addr, path string) *listener {
	nc, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprintf(nc, "GET %s HTTP/1.1\r\nHost: events\r\nAccept: text/event-stream\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
	return &listener{nc: nc, path: path}
}

// open reads the head of the response.
func (l *listener) open() error {
	res, err := http.ReadResponse(bufio.NewReader(l.nc), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		return fmt.Errorf("%s: got the response %s, %v", l.path, res.Status, res.Header)
	}
	l.in = bufio.NewReader(res.Body)
	return nil
}

// exchange has the handler send one event and waits for it.
func (l *listener) exchange(e *eventStream, text string) error {
	l.nc.SetDeadline(time.Now().Add(patience))
	select {
	case e.send <- text:
	case <-e.gone:
		return fmt.Errorf("the handler has seen its client go, which is here")
	case <-time.After(patience):
		return fmt.Errorf("the handler does not take the event")
	}
	for _, want := range []string{"data: " + text, ""} {
		line, err := l.in.ReadString('\n')
		if err != nil {
			return err
		}
		if line = strings.TrimSuffix(line, "\n"); line != want {
			return fmt.Errorf("line %q, want %q", line, want)
		}
	}
	return nil
}

// leave closes the connection and waits until the handler knows.
func (l *listener) leave(e *eventStream) error {
	l.nc.Close()
	select {
	case <-e.gone:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("the handler's context did not end when its client went away")
	}
}
