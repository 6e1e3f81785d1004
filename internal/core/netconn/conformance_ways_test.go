package netconn_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Output that cannot be sent at once is sent later, in order. A deadline and an Abort end the wait.
func TestWritesWait(t *testing.T) {
	const units = 200
	for name, tc := range map[string]struct {
		end  func(c *netconn.Pulled)
		want error
	}{
		"read":     {func(*netconn.Pulled) {}, nil},
		"deadline": {func(c *netconn.Pulled) { _ = c.SetWriteDeadline(time.Now().Add(millis(5))) }, netconn.ErrSlow},
		"passed":   {func(c *netconn.Pulled) { _ = c.SetWriteDeadline(time.Unix(1, 0)) }, netconn.ErrSlow},
		"abort":    {func(c *netconn.Pulled) { c.Abort() }, netconn.ErrAbort},
	} {
		t.Run(name, func(t *testing.T) {
			onPulled(t, func(t *testing.T, k kind) {
				near, far := connection(t, k)
				if tcp, ok := near.(*net.TCPConn); ok { // then much leaves in pieces
					_ = tcp.SetWriteBuffer(8 << 10)
				}
				e := netconn.New(netconn.Config{Loop: k.loop})
				t.Cleanup(func() { _ = e.Close() })
				c, err := e.Pull(near, nil, nobody{})
				if err != nil {
					t.Fatal(err)
				}
				read := make(chan struct{})
				go func() { // no state is kept for its wait
					defer close(read)
					_, _ = c.Fill()
				}()
				unit := bytes.Repeat([]byte("0123456789abcdef"), 1000)
				var sent bytes.Buffer
				ended := make(chan error, 1)
				go func() {
					for range units { // far more than the kernel keeps
						sent.Write(unit)
						if _, err := c.Write(unit); err != nil {
							ended <- err
							return
						}
					}
					ended <- nil
				}()
				stuck(t, &c.Link)
				tc.end(c)
				if tc.want == nil {
					got, err := readAll(far, units*len(unit))
					if err := errors.Join(err, within(t, "the writer", ended)); err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(got, sent.Bytes()) {
						t.Error("other bytes arrived than were sent")
					}
				} else if err := within(t, "the writer", ended); err != tc.want {
					t.Errorf("the writer is told %v, want %v", err, tc.want)
				}
				_ = far.Close()
				<-read
				c.Finish(netconn.ErrAbort)
			})
		})
	}
}

func readAll(nc net.Conn, n int) ([]byte, error) {
	_ = nc.SetReadDeadline(time.Now().Add(patience))
	b := make([]byte, n)
	_, err := io.ReadFull(nc, b)
	return b, err
}

// Whatever functions writers use at the same time, all units arrive whole, those of each writer in order, and the parts of
// one message together. A reader that settles between receives disturbs no writer.
func TestWaysOfWriting(t *testing.T) {
	const writers, units = 6, 400
	onPulled(t, func(t *testing.T, k kind) {
		near, far := connection(t, k)
		e := netconn.New(netconn.Config{Loop: k.loop, WriteBuffer: 32 << 10, FlushLate: true})
		t.Cleanup(func() { _ = e.Close() })
		c, err := e.Pull(near, nil, nobody{})
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan struct{})
		go func() { // makes c settle, and wait
			defer close(read)
			for {
				b, err := c.Fill()
				if err != nil {
					return
				}
				c.Take(len(b))
			}
		}()
		checked := make(chan error, 1)
		go func() { checked <- checkUnits(far, writers*units, writers) }()
		var all sync.WaitGroup
		for id := range writers {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(id), 1))
				for n := range units {
					if err := writeSomehow(c, rng, id, n); err != nil {
						t.Errorf("unit %d of writer %d: %v", n, id, err)
						return
					}
				}
			})
		}
		all.Wait()
		_ = c.SetWriteDeadline(time.Time{})
		if err := c.Flush(); err != nil {
			t.Error(err)
		}
		if err := within(t, "the units", checked); err != nil {
			t.Error(err)
		}
		_ = far.Close()
		<-read
		c.Finish(netconn.ErrAbort)
	})
}

// writeSomehow writes a unit with one of the functions that there are. The unit begins with the number of the writer, its
// own number, and its length; all other bytes are the same.
func writeSomehow(c *netconn.Pulled, rng *rand.Rand, id, n int) error {
	size := rng.IntN(600)
	if rng.IntN(20) == 0 {
		size = rng.IntN(40 << 10)
	}
	u := binary.BigEndian.AppendUint32([]byte{byte(id)}, uint32(n))
	u = binary.BigEndian.AppendUint32(u, uint32(size))
	u = append(u, bytes.Repeat([]byte{byte(id + n)}, size)...)
	switch rng.IntN(12) {
	case 0:
		if ok, err := c.Post(netconn.Whole, u); ok || err != nil {
			return err
		}
	case 1:
		if err := c.BeginParts(context.Background(), len(u)); err != nil {
			return err
		}
		defer c.EndParts()
		err := c.WriteUnit(context.Background(), netconn.Part, u[:4], nil)
		return errors.Join(err, c.WriteUnit(context.Background(), netconn.Part, nil, u[4:]))
	case 2:
		c.Hold()
		defer c.Release()
	case 3:
		if err := c.Flush(); err != nil {
			return err
		}
	case 4:
		_ = c.SetWriteDeadline(time.Now().Add(time.Hour))
	case 5:
		_ = c.SetWriteDeadline(time.Time{})
	}
	return c.WriteTwo(u[:5], u[5:])
}

// checkUnits reads that many units of writeSomehow.
func checkUnits(nc net.Conn, units, writers int) error {
	_ = nc.SetReadDeadline(time.Now().Add(patience))
	r := bufio.NewReader(nc)
	next := make([]int, writers)
	var head [9]byte
	for range units {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return fmt.Errorf("after %v: %w", next, err)
		}
		id, n, size := int(head[0]), int(binary.BigEndian.Uint32(head[1:])), int(binary.BigEndian.Uint32(head[5:]))
		if id >= writers || n != next[id] || size > 40<<10 {
			return fmt.Errorf("a unit begins with % x after %v", head, next)
		}
		next[id]++
		p := make([]byte, size)
		if _, err := io.ReadFull(r, p); err != nil {
			return err
		}
		if bytes.Count(p, []byte{byte(id + n)}) != size {
			return fmt.Errorf("unit %d of %d is mixed with others", n, id)
		}
	}
	return nil
}
