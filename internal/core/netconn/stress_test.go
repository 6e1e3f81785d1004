package netconn_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// stressTime is how long TestStress runs: SHOCKWAVE_STRESS (such as "1m") in the environment, or half a second for
// each kind of connection.
func stressTime() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("SHOCKWAVE_STRESS")); err == nil {
		return d
	}
	return 500 * time.Millisecond
}

// With everything mixed, every response that arrives is right, and nothing is left at the end: protocols that block, use
// the CPU, panic, hijack, unlatch, ask whether the peer has gone, and write slowly; clients that pipeline, pause, read
// slowly, and leave in the middle; and goroutines that write to connections from outside.
func TestStress(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{
			IdlePark: millis(1), IdleTimeout: patience, MessageTimeout: patience, RateGrace: patience,
			WriteBuffer: 8 << 10, LingerTimeout: millis(100), HandshakeTimeout: patience,
		}, lines(stressed))
		end := time.Now().Add(stressTime())
		var clients sync.WaitGroup
		var done atomic.Int64
		for i := range 8 {
			clients.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano())))
				for time.Now().Before(end) {
					n, err := stressOne(r, rng)
					done.Add(int64(n))
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		clients.Wait()
		if done.Load() == 0 {
			t.Error("no message got a response")
		}
		t.Logf("%d responses on %d connections", done.Load(), r.eng.Stats().Accepted)
		if err := r.shutdown(); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

// stressed responds to one line, whose first word says how.
func stressed(c *netconn.Conn, line string) error {
	word, arg, _ := strings.Cut(line, " ")
	n, _ := strconv.Atoi(arg)
	switch word {
	case "block":
		c.FlushSoon()
		time.Sleep(time.Duration(n) * time.Microsecond)
	case "burn":
		for begin := time.Now(); time.Since(begin) < time.Duration(n)*time.Microsecond; {
			runtime.Gosched()
		}
	case "out":
		if c.Latched() {
			return netconn.ErrUnlatch
		}
	case "gone":
		stop := c.OnGone(func() {}).Stop
		defer stop()
		time.Sleep(time.Duration(n) * time.Microsecond)
	case "news":
		go func() {
			time.Sleep(time.Duration(n) * time.Microsecond)
			_, _ = c.Write([]byte("news\n"))
		}()
	case "large":
		return c.WriteTwo([]byte(line+" "), []byte(strings.Repeat("x", n)+"\n"))
	case "slow":
		for range n % 20 {
			if err := c.Flush(); err != nil {
				return err
			}
		}
	case "panic":
		panic("on purpose")
	case "goexit":
		runtime.Goexit()
	case "done", "linger":
		if err := echo(c, line); err != nil {
			return err
		}
		return netconn.ErrDone
	case "abort":
		go c.Abort()
	case "take":
		return taken(c, line)
	}
	return echo(c, line)
}

// taken hijacks the connection and responds from there, once.
func taken(c *netconn.Conn, line string) error {
	// The line itself is still unread for the engine: it is skipped in what was read ahead.
	nc, _, err := c.Hijack()
	if err != nil {
		return err
	}
	go func() {
		defer func() { _ = nc.Close() }()
		_ = nc.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(nc, line+"\n")
		_, _ = io.Copy(io.Discard, nc)
	}()
	return nil
}

var (
	gentle = []string{"block", "burn", "out", "gone", "news", "large", "slow", "plain"}
	deadly = []string{"panic", "goexit", "done", "linger", "abort", "take"}
)

// stressOne has one conversation and returns the number of responses. It fails on a wrong response, and on a connection
// that ends or sends nothing without having been asked to.
func stressOne(r *rig, rng *rand.Rand) (responses int, err error) {
	nc, err := r.connect()
	if err != nil {
		return 0, err
	}
	defer func() { _ = nc.Close() }()
	_ = nc.SetDeadline(time.Now().Add(2 * patience))
	in := newLineReader(nc, rng.IntN(4) == 0)
	for range 1 + rng.IntN(10) {
		var batch []string
		for range 1 + rng.IntN(4) {
			word := gentle[rng.IntN(len(gentle))]
			n := rng.IntN(3000)
			if word == "large" {
				n = rng.IntN(100_000)
			}
			batch = append(batch, fmt.Sprintf("%s %d", word, n))
		}
		if _, err := io.WriteString(nc, strings.Join(batch, "\n")+"\n"); err != nil {
			return responses, fmt.Errorf("sending %q: %w", batch, err)
		}
		for _, line := range batch {
			if err := in.want(line); err != nil {
				return responses, fmt.Errorf("in %q: %w", batch, err)
			}
			responses++
		}
		time.Sleep(time.Duration(rng.IntN(8000)) * time.Microsecond)
	}
	return responses, stressEnd(nc, in, rng)
}

// stressEnd ends a conversation in one of many ways.
func stressEnd(nc net.Conn, in *lineReader, rng *rand.Rand) error {
	switch rng.IntN(4) {
	case 0: // in the middle of a message
		_, _ = io.WriteString(nc, "half a li")
		return nil
	case 1: // half closed, with a response to come
		if _, err := io.WriteString(nc, "plain 1\n"); err != nil {
			return err
		}
		if err := nc.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
			return err
		}
		if err := in.want("plain 1"); err != nil {
			return fmt.Errorf("after half close: %w", err)
		}
		return in.end()
	case 2: // large responses asked for and not read
		_, _ = io.WriteString(nc, strings.Repeat("large 90000\n", 3))
		return nil
	}
	word := deadly[rng.IntN(len(deadly))]
	_, err := io.WriteString(nc, word+" 1\n")
	switch {
	case err != nil:
		return err
	case word == "done" || word == "linger" || word == "take":
		if err := in.want(word + " 1"); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
	}
	switch word {
	case "take":
		return nil
	case "abort": // from another goroutine: it may come too late for the response
		if in.want("abort 1") != nil {
			return nil
		}
	}
	if err := in.end(); err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		return fmt.Errorf("%s: %w", word, err)
	}
	return nil
}

// lineReader reads responses and skips what other goroutines send.
type lineReader struct {
	nc   net.Conn
	slow bool
	got  []byte
}

func newLineReader(nc net.Conn, slow bool) *lineReader { return &lineReader{nc: nc, slow: slow} }

func (l *lineReader) next() (string, error) {
	for {
		if i := strings.IndexByte(string(l.got), '\n'); i >= 0 {
			line := string(l.got[:i])
			l.got = l.got[i+1:]
			if line != "news" {
				return line, nil
			}
			continue
		}
		size := 64 << 10
		if l.slow {
			size = 4 << 10
			time.Sleep(100 * time.Microsecond)
		}
		p := make([]byte, size)
		n, err := l.nc.Read(p)
		l.got = append(l.got, p[:n]...)
		if n == 0 && err != nil {
			return "", err
		}
	}
}

// want expects the response to line.
func (l *lineReader) want(line string) error {
	got, err := l.next()
	if err != nil {
		return err
	}
	word, arg, _ := strings.Cut(line, " ")
	if word == "large" {
		n, _ := strconv.Atoi(arg)
		line += " " + strings.Repeat("x", n)
	}
	if got != line {
		return fmt.Errorf("got %.80q (%d bytes), want %.80q (%d bytes)", got, len(got), line, len(line))
	}
	return nil
}

// end expects that no response comes and that the connection ends in good order.
func (l *lineReader) end() error {
	line, err := l.next()
	switch {
	case err == nil:
		return fmt.Errorf("got %.80q after the end", line)
	case err == io.EOF:
		return nil
	}
	return err
}
