package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/memconn"
)

// What may be done at the same time is done at the same time here; the race detector sees more of it than the tests do.

// Connections may end while they join and leave rooms.
func TestRoomsOfTheEnding(t *testing.T) {
	for range 20 {
		_, servers := crowd(t, 2)
		var room Room
		var rooms Rooms[int]
		var all sync.WaitGroup
		for i, s := range servers {
			joined := make(chan struct{})
			all.Go(func() {
				for n := 0; room.Join(s) && rooms.Join(i, s); n++ {
					room.Leave(s)
					rooms.Leave(i, s)
					if n == 10 {
						close(joined)
					}
				}
			})
			all.Go(func() {
				<-joined
				s.CloseNow()
			})
		}
		all.Wait()
		for _, s := range servers {
			within(t, "the end", s.Done())
		}
		if n, k := room.Len(), rooms.Len(); n != 0 || k != 0 {
			t.Errorf("%d members and %d rooms are left", n, k)
		}
	}
}

// A group may be inspected while its first connection opens.
func TestGroupWhileItBegins(t *testing.T) {
	for range 20 {
		g := new(Group)
		stop := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			for seen := 0; seen < 2; {
				seen = 0
				for range g.All() {
					seen++
				}
			}
			close(stop)
		})
		c, s := pipe(t, Config{Group: g}, Config{Group: g})
		within(t, "both ends to be seen", stop)
		all.Wait()
		c.CloseNow()
		s.CloseNow()
		if err := g.Shutdown(soon(t)); err != nil {
			t.Error(err)
		}
	}
}

// Many goroutines may read from a Stream, and each byte is read once.
func TestByteStreamFromManySides(t *testing.T) {
	client, server := streams(t, Config{})
	const size, readers = 40_000, 4
	var all sync.WaitGroup
	read := make(chan int, readers)
	for range readers {
		all.Go(func() {
			n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{server}, make([]byte, 7))
			if err != nil {
				t.Error(err)
			}
			read <- int(n)
		})
	}
	for sent := 0; sent < size; sent += 100 {
		if _, err := client.Write(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	all.Wait()
	total := 0
	for range readers {
		total += <-read
	}
	if total != size {
		t.Errorf("%d bytes were read of %d", total, size)
	}
}

// Deadlines of a connection in memory may be set while it is read and written.
func TestMemoryDeadlinesMeanwhile(t *testing.T) {
	near, far := memconn.Pair()
	var all sync.WaitGroup
	all.Go(func() { io.Copy(io.Discard, far) })
	all.Go(func() {
		for range 300 {
			if _, err := near.Write([]byte("Hello")); err != nil {
				t.Error(err)
			}
		}
		near.Close()
	})
	for range 2 {
		all.Go(func() {
			for range 300 {
				near.SetWriteDeadline(time.Now().Add(time.Hour))
				far.SetReadDeadline(time.Now().Add(time.Hour))
			}
		})
	}
	all.Wait()
	far.Close()
}

// Close returns in time if the peer leaves at the same moment.
func TestCloseOfTheEnding(t *testing.T) {
	for pause := range 200 {
		r := faces[3].echo(t, Config{})
		left := make(chan struct{})
		go func() {
			r.peer.Conn.Close()
			close(left)
		}()
		for range pause {
			runtime.Gosched()
		}
		r.c.Close(CloseNormal, "")
		r.wantEnd()
		<-left
	}
}

// Ping returns if the connection ends at the same moment.
func TestPingsOfTheEnding(t *testing.T) {
	for range 50 {
		r := faces[2].echo(t, Config{})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for r.c.Ping(context.Background()) == nil {
					t.Error("Ping: got a pong, want an error")
				}
			})
		}
		all.Go(func() { r.c.CloseNow() })
		all.Wait()
		r.wantEnd()
	}
}

// A Send that waits fails when the connection is cut off.
func TestCloseNowAmidSends(t *testing.T) {
	for range 20 {
		c := deaf(t, Config{Slow: DropOldest})
		var all sync.WaitGroup
		behind := make(chan struct{}, 2)
		for range cap(behind) {
			all.Go(func() {
				for c.Send(BinaryMessage, make([]byte, 10_000)) == nil {
					if c.Dropped() > 0 {
						select {
						case behind <- struct{}{}:
						default:
						}
					}
				}
			})
		}
		within(t, "something to be dropped", behind)
		c.CloseNow()
		all.Wait()
	}
}

// A connection that opens during Shutdown fails to open or ends with the group, once.
func TestShutdownWhileTheyBegin(t *testing.T) {
	for _, cfg := range []Config{{}, {OnMessage: func(*Conn, MessageType, []byte) {}}} {
		for pause := range 150 {
			cfg.Group = new(Group)
			near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
			begun := make(chan error)
			go func() {
				c, err := cfg.settings().open(&opened{role: wsframe.Server, nc: near, response: []byte("HTTP/1.1 101 ")}, nil)
				if err == nil {
					<-c.Done()
				}
				begun <- err
			}()
			for range pause {
				runtime.Gosched()
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			cfg.Group.Shutdown(ctx)
			select {
			case err := <-begun:
				if err != nil && err != ErrGroupClosed && !errors.Is(err, net.ErrClosed) {
					t.Errorf("it has not begun: %v", err)
				}
			case <-time.After(patience):
				t.Fatal("a connection that opened during Shutdown has not ended")
			}
			far.Close()
			if err := cfg.Group.Shutdown(soon(t)); err != nil || cfg.Group.Len() != 0 {
				t.Errorf("%d connections are left: %v", cfg.Group.Len(), err)
			}
		}
	}
}

// Writers that give up their turns do not stop the others.
func TestTurnsGivenUpMeanwhile(t *testing.T) {
	near, far := net.Pipe()
	go io.Copy(io.Discard, far)
	c, err := Config{Backlog: 2}.settings().open(&opened{role: wsframe.Server, nc: near}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for n := range 150 {
				var err error
				if i < 2 {
					err = c.Send(BinaryMessage, make([]byte, 40_000))
				} else {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n)*time.Microsecond)
					err = c.WriteMessageContext(ctx, BinaryMessage, make([]byte, 1000))
					cancel()
				}
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := c.WriteMessage(TextMessage, []byte("last")); err != nil {
		t.Error(err)
	}
	if n, _ := waiting(c); n != 0 {
		t.Errorf("%d messages wait after the last", n)
	}
	c.CloseNow()
	within(t, "the end", c.Done())
	far.Close()
}
