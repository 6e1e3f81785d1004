package netconn_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// When Write and WriteTwo have returned, the caller may change its bytes, however large they are and however full the
// socket is.
func TestWriteIsCopied(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		sizes := []int{1, 1000, 16 << 10, 16<<10 + 1, 70_000, 1 << 20}
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			for i, size := range sizes {
				p := bytes.Repeat([]byte{byte('a' + i)}, size)
				if err := c.WriteTwo(p[:size/3], p[size/3:]); err != nil {
					return err
				}
				clear(p)
				p = bytes.Repeat([]byte{byte('A' + i)}, size)
				if n, err := c.Write(p); n != size || err != nil {
					t.Errorf("Write of %d bytes: %d, %v", size, n, err)
				}
				clear(p)
			}
			return echo(c, "written")
		}))
		talk := r.dial()
		talk.Send("write\n")
		for i, size := range sizes {
			talk.Want(strings.Repeat(string(rune('a'+i)), size))
			talk.Want(strings.Repeat(string(rune('A'+i)), size))
		}
		talk.Want("written\n")
	})
}

// A client that does not read makes the writer wait; memory does not grow.
func TestQueueIsBounded(t *testing.T) {
	atOnce(t, isOurs, func(t *testing.T, k kind) {
		const bound = 32 << 10
		var written, most atomic.Int64
		unit := bytes.Repeat([]byte("0123456789abcde\n"), 256)
		const units = 500 // 2 MB, more than the sockets' buffers
		conns := make(chan *netconn.Conn, 1)
		r := serve(t, k, netconn.Config{WriteBuffer: bound, MinWriteRate: -1}, lines(func(c *netconn.Conn, line string) error {
			keepLittle(netconn.Below(&c.Link))
			conns <- c
			for range units {
				if _, err := c.Write(unit); err != nil {
					return err
				}
				written.Add(int64(len(unit)))
				if p := int64(netconn.Pending(&c.Link)); p > most.Load() {
					most.Store(p)
				}
			}
			return nil
		}))
		talk := r.dial()
		keepLittle(talk.Conn)
		talk.Send("write\n")
		stuck(t, &within(t, "Data", conns).Link)
		if n := written.Load(); n == int64(units*len(unit)) {
			t.Fatal("the writer never waited")
		}
		got := make([]byte, len(unit))
		for n := range units {
			_ = talk.Conn.SetReadDeadline(time.Now().Add(patience)) // for each: in most of them the writer waits
			if _, err := io.ReadFull(talk.Conn, got); err != nil || !bytes.Equal(got, unit) {
				t.Fatalf("unit %d: %v, or other bytes", n, err)
			}
		}
		if m := most.Load(); m > bound {
			t.Errorf("%d bytes were pending, with a bound of %d", m, bound)
		}
	})
}

// Pending output leaves during Data when the protocol calls Flush, and not before.
func TestFlush(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		step := make(chan struct{})
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			_ = echo(c, "one")
			if netconn.Pending(&c.Link) != 4 {
				t.Errorf("%d bytes pending, want 4", netconn.Pending(&c.Link))
			}
			step <- struct{}{}
			<-step
			if err := c.Flush(); err != nil || netconn.Pending(&c.Link) != 0 {
				t.Errorf("Flush: %v, %d bytes pending", err, netconn.Pending(&c.Link))
			}
			<-step
			return echo(c, "two")
		}))
		talk := r.dial()
		talk.Send("x\n")
		within(t, "Data", step)
		talk.WantSilence(millis(30))
		step <- struct{}{}
		talk.Want("one\n")
		step <- struct{}{}
		talk.Want("two\n")
	})
}

// When two requests come in one segment and the second is slow, FlushSoon sends the response to the first while Data still
// runs.
func TestFastBehindSlow(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		slow, release := make(chan struct{}), make(chan struct{})
		r := serve(t, k, still(netconn.Config{}), lines(func(c *netconn.Conn, line string) error {
			if line == "slow" {
				c.FlushSoon()
				slow <- struct{}{}
				<-release
			}
			return echo(c, line)
		}))
		talk := r.dial()
		for range 5 {
			talk.Send("fast\nslow\nfast\n")
			within(t, "the slow one", slow)
			r.pass(clock.Tick)
			talk.Want("fast\n") // while slow still runs: it is released only now
			release <- struct{}{}
			talk.Want("slow\nfast\n")
		}
	})
}

// Any goroutine may write at any time. Units stay whole, and what is written while no Data runs leaves at once.
func TestWriteFromElsewhere(t *testing.T) {
	const writers, each = 8, 100
	onEvery(t, func(t *testing.T, k kind) {
		conns := make(chan *netconn.Conn, 1)
		r := serve(t, k, netconn.Config{IdlePark: millis(10)}, lines(func(c *netconn.Conn, line string) error {
			if line == "hello" {
				conns <- c
			}
			return echo(c, line)
		}))
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		c := within(t, "the connection", conns)
		for i := range 5 { // idle, and parked where that is possible
			_, _ = c.Write([]byte("news\n"))
			talk.Want("news\n")
			time.Sleep(millis(5 * i))
		}
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				unit := []byte(strings.Repeat(strconv.Itoa(w), 100+w*1000) + "\n")
				for range each {
					if err := c.WriteTwo(unit[:50], unit[50:]); err != nil {
						t.Errorf("WriteTwo: %v", err)
						return
					}
				}
			})
		}
		counts := map[string]int{}
		for asked := 0; asked < writers*each; asked++ {
			if asked%20 == 0 {
				talk.Send("\n") // Data runs now and then, too
			}
			line := talk.WantUntil("\n")
			if line == "\n" {
				asked--
				continue
			}
			w, _ := strconv.Atoi(line[:1])
			if line != strings.Repeat(line[:1], 100+w*1000)+"\n" {
				t.Fatalf("a unit was cut: %.60q…", line)
			}
			counts[line[:1]]++
		}
		wg.Wait()
		for w, n := range counts {
			if n != each {
				t.Errorf("writer %s: %d units", w, n)
			}
		}
	})
}

// After a failed write every write fails with the same error.
func TestWriteErrorStays(t *testing.T) {
	onSome(t, isSocket, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			var first error
			for range 10_000 {
				if _, first = c.Write(make([]byte, 32<<10)); first != nil {
					break
				}
			}
			_, second := c.Write([]byte("x"))
			if first == nil || second != first || c.Flush() != first || c.WriteTwo(nil, nil) != first {
				t.Errorf("first %v, then %v", first, second)
			}
			return nil
		}))
		talk := r.dial()
		talk.Send("x\n")
		talk.WantN(1)
		talk.Close() // with bytes unread, which resets it
		if err := r.wantEnd(); err == nil || err == io.EOF {
			t.Errorf("ended with %v", err)
		}
	})
}

// ReadFrom sends a file, a part of a file and any other source, after the pending output.
func TestReadFrom(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	content := strings.Repeat("0123456789", 50_000)
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, outside(func(c *netconn.Conn, line string) error {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			if err := echo(c, line); err != nil {
				return err
			}
			var src io.Reader
			switch line {
			case "file":
				src = f
			case "part":
				if _, err := f.Seek(5, io.SeekStart); err != nil {
					return err
				}
				src = io.LimitReader(f, 100_000)
			case "other":
				src = io.MultiReader(strings.NewReader(content[:20]), strings.NewReader(content[20:]))
			}
			n, err := c.ReadFrom(src)
			if err != nil {
				return err
			}
			return echo(c, "\n"+strconv.FormatInt(n, 10))
		}))
		talk := r.dial()
		talk.Send("file\npart\nother\n")
		talk.Want("file\n" + content + "\n500000\n")
		talk.Want("part\n" + content[5:100_005] + "\n100000\n")
		talk.Want("other\n" + content + "\n500000\n")
	})
}

// An error of the source differs from an error of the socket, and what came before the error was sent.
func TestReadFromFails(t *testing.T) {
	broken := errors.New("broken source")
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, outside(func(c *netconn.Conn, line string) error {
			n, err := c.ReadFrom(io.MultiReader(strings.NewReader("some"), errReader{broken}))
			if n != 4 || !errors.Is(err, broken) {
				t.Errorf("ReadFrom: %d, %v", n, err)
			}
			return echo(c, "\nstill open")
		}))
		talk := r.dial()
		talk.Send("x\n")
		talk.Want("some\nstill open\n")
	})
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// The responses to everything that one read has brought leave in one write. On pipes the server's end counts the writes;
// for sockets the kernel does, in TestOneSegmentPerBatch.
func TestOneWritePerBatch(t *testing.T) {
	r := newRig(t, kind{name: "pipe", network: "pipe"})
	conns := make(chan net.Conn, 1)
	r.start(netconn.Config{New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
		conns <- c.NetConn()
		return &protocol{r: r, data: lines(echo)}, nil
	}}, r.listen())
	talk := r.dial()
	server := within(t, "the connection", conns).(*wiretest.Conn)
	for round := range 5 {
		batch := strings.Repeat("hello\n", 16)
		talk.Send(batch)
		talk.Want(batch)
		if n := server.Writes(); n != round+1 {
			t.Fatalf("%d writes for %d batches", n, round+1)
		}
	}
}
