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

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// eventsFor is how long the streams of these tests live.
var eventsFor = flag.Duration("events", 2*time.Second, "how long event streams live")

const streams = 200

// eachServer runs test with an event source on net/http's server, on ours, and on ours with every rule for slow peers
// so tight that it would strike many times in the shortest stream.
func eachServer(t *testing.T, test func(t *testing.T, s *eventSource, addr string)) {
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
			s := &eventSource{streams: map[string]*eventStream{}}
			test(t, s, serve(t, c.make(s)))
		})
	}
}

// TestEvents has 200 clients take events at the same time, one after the other, until the time is up. Then they leave,
// and every handler gets to know.
func TestEvents(t *testing.T) {
	eachServer(t, func(t *testing.T, s *eventSource, addr string) {
		end := time.Now().Add(*eventsFor)
		var all sync.WaitGroup
		for n := range streams {
			all.Go(func() {
				path := fmt.Sprintf("/stream/%d", n)
				l, err := listenTo(addr, path)
				if err != nil {
					t.Error(err)
					return
				}
				defer l.nc.Close()
				for i := 0; i < 3 || time.Now().Before(end); i++ {
					if err := l.exchange(s.stream(path), fmt.Sprintf("event %d of %s", i, path)); err != nil {
						t.Errorf("event %d of %s: %v", i, path, err)
						return
					}
					time.Sleep(100 * time.Millisecond) // the pace of the stream; nothing depends on it
				}
				if err := l.leave(s.stream(path)); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			})
		}
		all.Wait()
	})
}

// TestSilentStream says nothing on a stream for all the time: nobody is slow then, and the connection stays.
func TestSilentStream(t *testing.T) {
	eachServer(t, func(t *testing.T, s *eventSource, addr string) {
		l, err := listenTo(addr, "/silent")
		if err != nil {
			t.Fatal(err)
		}
		defer l.nc.Close()
		e := s.stream("/silent")
		for i := range 2 {
			if err := l.exchange(e, fmt.Sprint("before and after ", i)); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				select {
				case <-e.gone:
					t.Fatal("the request's context ended in a silence")
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
	nc net.Conn
	in *bufio.Reader
}

// listenTo opens the stream at path.
func listenTo(addr, path string) (*listener, error) {
	nc, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	nc.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(nc, "GET %s HTTP/1.1\r\nHost: events\r\nAccept: text/event-stream\r\n\r\n", path)
	in := bufio.NewReader(nc)
	res, err := http.ReadResponse(in, nil)
	if err == nil && (res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream") {
		err = fmt.Errorf("answered %s, %v", res.Status, res.Header)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &listener{nc, bufio.NewReader(res.Body)}, nil
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
