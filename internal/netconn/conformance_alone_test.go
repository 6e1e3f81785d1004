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

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// alone writes s by the short way and reports whether that was open.
func alone(t *testing.T, c *netconn.Conn, s string) bool {
	t.Helper()
	unit := c.Alone(len(s))
	if unit == nil {
		return false
	}
	if err := c.SendAlone(append(unit, s...)); err != nil {
		t.Error(err)
	}
	return true
}

// TestAlone: the short way of a write is open as long as nothing is pending, held back or over, and opens again.
func TestAlone(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		defer c.Finish(netconn.ErrAbort)
		free := func(s string) {
			t.Helper()
			if !alone(t, c, s) {
				t.Errorf("%q could not be written alone", s)
			}
			talk.Want(s)
		}
		shut := func(why string) {
			t.Helper()
			if c.Alone(1) != nil {
				t.Fatalf("alone although %s", why)
			}
		}
		free("one ")
		if c.Alone(16<<10) != nil {
			t.Error("a large unit takes the short way")
		}
		c.Hold(true)
		shut("it is held")
		if _, err := c.Write([]byte("held ")); err != nil {
			t.Fatal(err)
		}
		c.Hold(false)
		shut("something is pending")
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
		talk.Want("held ")
		free("two ")
		if err := c.TakeTurn(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		shut("a message is being written in parts")
		c.PassTurn()
		free("three ")
		_ = c.SetWriteDeadline(time.Now().Add(time.Hour))
		shut("there is a deadline")
		_ = c.SetWriteDeadline(time.Time{})
		unit := c.Alone(5)
		shut("somebody is alone")
		if ok, err := c.Post(netconn.Part, []byte("posted ")); !ok || err != nil {
			t.Errorf("Post: %v, %v", ok, err)
		}
		if err := c.SendAlone(append(unit, "four "...)); err != nil {
			t.Error(err)
		}
		talk.Want("four posted ")
		free("five ")
		if ok, err := c.Post(netconn.Final, []byte("last ")); !ok || err != nil {
			t.Errorf("Post: %v, %v", ok, err)
		}
		talk.Want("last ")
		shut("the last unit has been written")
	})
}

// TestAloneWaits: what does not leave at once leaves later, in its order; a deadline and an Abort end the wait.
func TestAloneWaits(t *testing.T) {
	const units = 2000
	for name, tc := range map[string]struct {
		end  func(c *netconn.Conn)
		want error
	}{
		"read":     {func(*netconn.Conn) {}, nil},
		"deadline": {func(c *netconn.Conn) { _ = c.SetWriteDeadline(time.Now().Add(millis(5))) }, netconn.ErrSlow},
		"passed":   {func(c *netconn.Conn) { _ = c.SetWriteDeadline(time.Unix(1, 0)) }, netconn.ErrSlow},
		"abort":    {func(c *netconn.Conn) { c.Abort() }, netconn.ErrAbort},
	} {
		t.Run(name, func(t *testing.T) {
			onPulled(t, func(t *testing.T, k kind) {
				near, far := connection(t, k)
				if tcp, ok := near.(*net.TCPConn); ok { // much leaves in pieces then
					_ = tcp.SetWriteBuffer(8 << 10)
				}
				e := netconn.New(netconn.Config{Loop: k.loop})
				t.Cleanup(func() { _ = e.Close() })
				c, err := e.Pull(near, nil, true)
				if err != nil {
					t.Fatal(err)
				}
				read := make(chan struct{})
				go func() { // for whose wait nothing is kept
					defer close(read)
					_, _ = c.Fill()
				}()
				unit := bytes.Repeat([]byte("0123456789abcdef"), 1000)
				var sent bytes.Buffer
				ended := make(chan error, 1)
				go func() {
					for range units { // far more than the kernel keeps
						var err error
						sent.Write(unit)
						if u := c.Alone(len(unit)); u != nil {
							err = c.SendAlone(append(u, unit...))
						} else {
							_, err = c.Write(unit) // the end has come before the wait
						}
						if err != nil {
							ended <- err
							return
						}
					}
					ended <- nil
				}()
				time.Sleep(millis(20)) // until it waits, most of the time
				tc.end(c)
				if tc.want == nil {
					got, err := readAll(far, units*len(unit))
					if err := errors.Join(err, within(t, "the writer", ended)); err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(got, sent.Bytes()) {
						t.Error("what has arrived is not what was sent")
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

// TestAloneAmongOthers: whatever ways writers take at the same time, all units arrive whole, those of each writer in
// their order, and those of a message in parts together. A reader that settles between receives disturbs nobody.
func TestAloneAmongOthers(t *testing.T) {
	const writers, units = 6, 400
	onPulled(t, func(t *testing.T, k kind) {
		near, far := connection(t, k)
		e := netconn.New(netconn.Config{Loop: k.loop, WriteBuffer: 32 << 10, FlushLate: true})
		t.Cleanup(func() { _ = e.Close() })
		c, err := e.Pull(near, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan struct{})
		go func() { // has c settle, and wait
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
		c.Hold(false)
		_ = c.SetWriteDeadline(time.Time{})
		if err := c.Flush(); err != nil {
			t.Error(err)
		}
		if err := within(t, "the units", checked); err != nil {
			t.Error(err)
		}
		if unit := c.Alone(1); unit == nil {
			t.Error("the short way has not been opened again")
		} else if err := c.SendAlone(append(unit, '!')); err != nil {
			t.Error(err)
		}
		_ = far.Close()
		<-read
		c.Finish(netconn.ErrAbort)
	})
}

// writeSomehow writes a unit by one of the ways that there are. It says who it is, which one, how long, and what follows
// is all the same byte.
func writeSomehow(c *netconn.Conn, rng *rand.Rand, id, n int) error {
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
		if err := c.TakeTurn(context.Background(), len(u)); err != nil {
			return err
		}
		defer c.PassTurn()
		err := c.WriteUnit(context.Background(), netconn.Part, u[:4], nil)
		return errors.Join(err, c.WriteUnit(context.Background(), netconn.Part, nil, u[4:]))
	case 2:
		c.Hold(rng.IntN(2) == 0)
	case 3:
		if err := c.Flush(); err != nil {
			return err
		}
	case 4:
		_ = c.SetWriteDeadline(time.Now().Add(time.Hour))
	case 5:
		_ = c.SetWriteDeadline(time.Time{})
	}
	if unit := c.Alone(len(u)); unit != nil {
		return c.SendAlone(append(unit, u...))
	}
	return c.WriteTwo(u[:5], u[5:])
}

// checkUnits reads so many units of writeSomehow.
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
