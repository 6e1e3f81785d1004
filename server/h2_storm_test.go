package server_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// The server stays correct and leaks nothing while clients open and reset streams, cut bodies, open windows late and
// leave, as connections park and the server finally shuts down.
func TestH2Storm(t *testing.T) {
	t.Parallel()
	for _, w := range h2Ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			var running atomic.Int64
			f, dial := w.dial(t, server.Config{
				IdlePark: 10 * time.Millisecond, WriteTimeout: 5 * time.Second,
				Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
					running.Add(1)
					defer running.Add(-1)
					stormHandler(w, r)
				}),
			})
			var clients sync.WaitGroup
			for i := range 8 {
				clients.Go(func() {
					for j := range uint64(6) {
						c := &stormClient{rnd: rand.New(rand.NewPCG(uint64(i), j)), k: h2With(t, dial())}
						if err := c.run(); err != nil {
							t.Error(err)
						}
					}
				})
			}
			clients.Wait()
			for range 4 { // they exist when the server shuts down
				nc := dial()
				clients.Go(func() {
					c := &stormClient{rnd: rand.New(rand.NewPCG(9, 9)), k: h2With(t, nc)}
					if err := c.run(); err != nil && !errors.Is(err, io.EOF) && !isReset(err) {
						t.Error(err)
					}
				})
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			if err := f.Shutdown(ctx); err != nil {
				t.Error(err)
			}
			clients.Wait()
			if n := running.Load(); n != 0 {
				t.Errorf("%d handlers outlive Shutdown", n)
			}
			if s := f.Stats(); s.Panics != 0 || s.OpenConnections != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// isReset reports whether a connection was cut.
func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op)
}

func stormHandler(w *server.ResponseWriter, r *server.Request) {
	switch string(r.Path()) {
	case "/echo":
		w.EnableFullDuplex()
		io.Copy(w, r)
	case "/body":
		body, _ := r.Body()
		w.Write(body)
	case "/gone":
		done := make(chan struct{})
		stop := r.OnClientGone(func() { close(done) })
		select {
		case <-done:
		case <-time.After(5 * time.Millisecond):
			if !stop() {
				<-done
			}
		}
	case "/big":
		for range 20 {
			if _, err := w.WriteString(strings.Repeat("b", 9_000)); err != nil {
				return
			}
		}
	case "/panic":
		w.WriteString("x")
		panic(server.ErrAbort)
	default:
		w.WriteString("hello")
	}
}

// stormClient is a client that chooses at random what to do.
type stormClient struct {
	rnd *rand.Rand
	k   *h2Talk
}

// run talks for a while, and then waits for the responses that are due, or leaves.
func (c *stormClient) run() error {
	defer c.k.Conn.Close()
	c.k.Conn.SetDeadline(time.Now().Add(time.Minute))
	k := c.k
	var mu sync.Mutex // of writing
	io.WriteString(c.k.Conn, http2.ClientPreface)
	k.Framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(c.rnd.IntN(40_000))})
	open, left := map[uint32]bool{}, c.rnd.IntN(4) == 0
	read := make(chan error, 1)
	var openMu sync.Mutex
	go func() { read <- c.read(&mu, &openMu, open) }()
	paths := []string{"/", "/echo", "/body", "/gone", "/big", "/panic"}
	for i := range uint32(60) {
		id, path := 1+2*i, paths[c.rnd.IntN(len(paths))]
		body := path == "/echo" || path == "/body" || c.rnd.IntN(8) == 0
		cut := c.rnd.IntN(5) == 0
		openMu.Lock()
		open[id] = !cut
		openMu.Unlock()
		mu.Lock()
		k.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: k.block(request("POST", path)...), EndStream: !body, EndHeaders: true})
		if body {
			for n := c.rnd.IntN(3); n > 0; n-- {
				k.Framer.WriteData(id, false, make([]byte, c.rnd.IntN(500)))
			}
		}
		if cut {
			k.Framer.WriteRSTStream(id, http2.ErrCodeCancel)
		} else if body {
			k.Framer.WriteData(id, true, nil)
		}
		mu.Unlock()
		if c.rnd.IntN(10) == 0 {
			time.Sleep(time.Duration(c.rnd.IntN(20)) * time.Millisecond) // it may park
		}
	}
	if left {
		c.k.Conn.Close()
		<-read
		return nil
	}
	mu.Lock()
	k.Framer.WriteWindowUpdate(0, 1<<24)
	k.Framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 24})
	k.Framer.WritePing(false, [8]byte{7: 0xee})
	mu.Unlock()
	return <-read
}

// read reads until no response is due.
func (c *stormClient) read(mu, openMu *sync.Mutex, open map[uint32]bool) error {
	pong := false
	for {
		frame, err := c.k.Framer.ReadFrame()
		if err != nil {
			return err
		}
		id, ended := frame.Header().StreamID, false
		mu.Lock()
		switch fr := frame.(type) {
		case *http2.SettingsFrame:
			if !fr.IsAck() {
				c.k.Framer.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if pong = pong || fr.IsAck(); !fr.IsAck() {
				c.k.Framer.WritePing(true, fr.Data)
			}
		case *http2.MetaHeadersFrame:
			ended = fr.StreamEnded()
		case *http2.DataFrame:
			ended = fr.StreamEnded()
		case *http2.RSTStreamFrame:
			ended = true
		case *http2.GoAwayFrame:
			if fr.ErrCode != http2.ErrCodeNo {
				err = errors.New("GOAWAY " + fr.ErrCode.String())
			}
		}
		mu.Unlock()
		if err != nil {
			return err
		}
		openMu.Lock()
		if ended {
			delete(open, id)
		}
		owed := 0
		for _, yes := range open {
			if yes {
				owed++
			}
		}
		openMu.Unlock()
		if pong && owed == 0 {
			return nil
		}
	}
}
