package netconn_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A client that sends a request and closes its half gets the response and then the end. The test runs many times, because
// data and FIN often come as one event and their order decides.
func TestHalfClose(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		rounds := 200
		if k.tls {
			rounds = 20
		}
		for range rounds {
			talk := r.dial()
			talk.Send("last words\n")
			talk.HalfClose()
			talk.Want("last words\n")
			talk.WantEOF()
			talk.Close()
			if err := r.wantEnd(); err != io.EOF {
				t.Fatalf("ended with %v, want io.EOF", err)
			}
		}
	})
}

// In TLS the closing alert alone ends the stream (RFC 8446 §6.1); the transport may stay open.
func TestCloseNotify(t *testing.T) {
	onSome(t, isTLS, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		talk := r.dial()
		talk.Send("last words\n")
		if err := talk.Conn.(*tlsClient).Conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		talk.Want("last words\n")
		talk.WantEOF()
		if err := r.wantEnd(); err != io.EOF {
			t.Errorf("ended with %v, want io.EOF", err)
		}
	})
}

// The alert is sent before the connection closes, so that the peer can tell an orderly end from a cut (RFC 8446 §6.1).
func TestClosingAlert(t *testing.T) {
	onSome(t, isTLS, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if err := echo(c, line); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		below, err := r.connectTransport()
		if err != nil {
			t.Fatal(err)
		}
		var wire bytes.Buffer
		talk := wiretest.NewTalk(t, tls.Client(recorded{below, &wire}, &tls.Config{InsecureSkipVerify: true}))
		talk.Send("bye\n")
		talk.Want("bye\n")
		talk.WantEOF()
		// In TLS 1.3 an alert is a sealed record of 2 bytes, its type and a tag of 16.
		last := wire.Bytes()[max(0, wire.Len()-24):]
		if !bytes.HasPrefix(last, []byte{23, 3, 3, 0, 19}) {
			t.Errorf("the last record begins with % x, want an alert", last[:min(5, len(last))])
		}
	})
}

// recorded is a connection that keeps what was read from it.
type recorded struct {
	net.Conn
	log *bytes.Buffer
}

func (c recorded) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.log.Write(p[:n])
	return n, err
}

// A FIN without the alert, in the middle of a message, is not an orderly end: an attacker can send one.
func TestTruncation(t *testing.T) {
	onSome(t, isTLS, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		talk := r.dial()
		talk.Send("hello\npart")
		talk.Want("hello\n")
		_ = transport(talk.Conn).(*net.TCPConn).CloseWrite()
		if err := r.wantEnd(); err != io.ErrUnexpectedEOF {
			t.Errorf("ended with %v, want io.ErrUnexpectedEOF", err)
		}
	})
}

// The end of the stream does not count as the end of a message.
func TestHalfCloseWithinAMessage(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		for range 20 {
			talk := r.dial()
			talk.Send("whole\nhal")
			talk.HalfClose()
			talk.Want("whole\n")
			talk.WantEOF()
			talk.Close()
			if err := r.wantEnd(); err != io.ErrUnexpectedEOF {
				t.Fatalf("ended with %v, want io.ErrUnexpectedEOF", err)
			}
		}
	})
}

// A Fill that waits returns the end of the stream.
func TestHalfCloseWhileOutside(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, outside(func(c *netconn.Conn, _ string) error {
			for {
				_, err := c.Fill()
				if err == nil {
					continue
				}
				if werr := echo(c, "unread: "+string(c.Unread())+", "+err.Error()); werr != nil {
					return werr
				}
				c.Take(len(c.Unread()))
				return netconn.ErrDone
			}
		}))
		talk := r.dial()
		talk.Send("read\n")
		talk.Send("abc")
		talk.HalfClose()
		talk.Want("unread: abc, EOF\n")
		talk.WantEOF()
		if err := r.wantEnd(); err != nil {
			t.Errorf("ended with %v, want nil", err)
		}
	})
}

// A reset ends the connection, and End is told that the end was not orderly.
func TestReset(t *testing.T) {
	onSome(t, func(k kind) bool { return isTCP(k) || k.network == "pipe" }, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		talk.Reset()
		if err := r.wantEnd(); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("ended with %v, want ECONNRESET", err)
		}
	})
}

// After ErrDone the pending output is sent, then the connection ends in good order.
func TestDone(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if err := echo(c, line); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("bye\n")
		talk.Want("bye\n")
		talk.WantEOF()
		if err := r.wantEnd(); err != nil {
			t.Errorf("ended with %v, want nil", err)
		}
	})
}

// The end of a connection waits for a peer that reads the pending output slowly.
func TestDoneWithMuchPending(t *testing.T) {
	const size = 4 << 20
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if _, err := c.Write([]byte(strings.Repeat("x", size))); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("much\n")
		if rest := talk.Rest(); len(rest) != size {
			t.Errorf("got %d bytes, want %d", len(rest), size)
		}
		r.wantEnd()
	})
}

// Any other error of Data ends the connection as ErrDone does, and End gets that error.
func TestOwnError(t *testing.T) {
	own := errors.New("the protocol's own")
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if err := echo(c, line); err != nil {
				return err
			}
			return own
		}))
		talk := r.dial()
		talk.Send("bye\n")
		talk.Want("bye\n")
		talk.WantEOF()
		if err := r.wantEnd(); err != own {
			t.Errorf("ended with %v, want the protocol's own error", err)
		}
	})
}

// After ErrAbort the pending output is dropped and TCP is reset.
func TestErrAbort(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if line != "abort" {
				return echo(c, line)
			}
			if err := echo(c, "must not arrive"); err != nil {
				return err
			}
			return netconn.ErrAbort
		}))
		talk := r.dial()
		talk.Send("one\n")
		talk.Want("one\n")
		talk.Send("abort\n")
		rest, err := io.ReadAll(talk.Conn)
		if len(rest) > 0 {
			t.Errorf("the client got %q", rest)
		}
		if isTCP(k) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the client's read ended with %v, want a reset", err)
		}
		if err := r.wantEnd(); err != netconn.ErrAbort {
			t.Errorf("ended with %v, want ErrAbort", err)
		}
	})
}

// A peer that is still sending when the response comes can read the response. Closing with unread bytes would reset the
// connection, and the reset would destroy the response.
func TestDoneLingers(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{LingerBytes: 8 << 20, LingerTimeout: patience}, lines(func(c *netconn.Conn, _ string) error {
			if err := echo(c, "too large"); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		rounds := 10
		if k.split != nil {
			rounds = 3
		}
		for range rounds {
			talk := r.dial()
			talk.Send("upload\n")
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				chunk := make([]byte, 64<<10)
				for range 16 {
					if _, err := talk.Conn.Write(chunk); err != nil {
						t.Errorf("the client's upload: %v", err)
						return
					}
				}
			}()
			within(t, "the upload to be drained", sent)
			talk.Want("too large\n")
			talk.HalfClose()
			talk.WantEOF()
			talk.Close()
			if err := r.wantEnd(); err != nil {
				t.Fatalf("ended with %v, want nil", err)
			}
		}
	})
}

// A peer that never stops sending is not read from for ever.
func TestLingerIsBounded(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{LingerBytes: 256 << 10, LingerTimeout: patience}, lines(func(c *netconn.Conn, _ string) error {
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("upload\n")
		chunk := make([]byte, 64<<10)
		for n := 0; ; n += len(chunk) {
			_ = talk.Conn.SetWriteDeadline(time.Now().Add(patience))
			if _, err := talk.Conn.Write(chunk); errors.Is(err, os.ErrDeadlineExceeded) || n > 64<<20 {
				t.Fatalf("after %d bytes the server has not closed: %v", n, err)
			} else if err != nil {
				break
			}
		}
		eventually(t, "the connection to end", func() bool { return r.eng.Stats().Open == 0 })
	})
}

// A peer that has sent more than LingerBytes and goes on is not reset at once: it has some time to read the response. A
// reset would fail its writes first, and clients then give up before they read.
func TestLingerThenDeaf(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{LingerBytes: 4 << 10, LingerTimeout: patience}, lines(func(c *netconn.Conn, _ string) error {
			if err := echo(c, "too large"); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		talk := r.dial()
		began := time.Now()
		talk.Send("upload\n")
		_ = talk.Conn.SetWriteDeadline(began.Add(patience))
		var err error
		for chunk := make([]byte, 64<<10); err == nil; {
			_, err = talk.Conn.Write(chunk)
		}
		// A slow machine makes it longer, never shorter.
		if took := time.Since(began); took < millis(400) || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the upload failed after %v: %v", took, err)
		}
		eventually(t, "the connection to end", func() bool { return r.eng.Stats().Open == 0 })
	})
}

// noHalves wraps the connections of a listener in a type with the methods of a net.Conn only.
type noHalves struct{ net.Listener }

// Accept implements net.Listener.
func (l noHalves) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	return struct{ net.Conn }{nc}, err
}

// Where our half cannot be closed alone, a peer that is still sending can read the response, too, and a peer that has sent
// everything does not have to wait for the end.
func TestLingerWithoutHalves(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		r := newRig(t, k)
		r.start(netconn.Config{
			LingerBytes: 64 << 20, LingerTimeout: 2 * patience, New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
				return &protocol{r: r, data: lines(func(c *netconn.Conn, line string) error {
					if err := echo(c, line); err != nil {
						return err
					}
					if line == "upload" {
						return netconn.ErrDoneEarly
					}
					return netconn.ErrDone
				})}, nil
			}}, noHalves{r.listen()})
		if k.network == "pipe" {
			r.l = r.l.(noHalves).Listener
		}
		talk := r.dial()
		talk.Send("upload\n")
		for range 64 {
			talk.Send(strings.Repeat("x", 64<<10))
		}
		talk.Want("upload\n")
		talk.Close()
		if err := r.wantEnd(); err != nil {
			t.Errorf("ended with %v, want nil", err)
		}
		talk = r.dial()
		talk.Send("all\n")
		talk.Want("all\n")
		talk.WantEOF()
	})
}

// The end of an engine does not break off a lingering close: the response must still arrive.
func TestShutdownDuringLinger(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{LingerBytes: 8 << 20, LingerTimeout: patience}, lines(func(c *netconn.Conn, _ string) error {
			if err := echo(c, "too large"); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("upload\n")
		r.wantEnd()
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "Serve to return", r.done)
		chunk := make([]byte, 64<<10)
		for range 16 {
			if _, err := talk.Conn.Write(chunk); err != nil {
				t.Fatalf("the client's upload: %v", err)
			}
			time.Sleep(millis(1))
		}
		talk.Want("too large\n")
		talk.HalfClose()
		talk.WantEOF()
		talk.Close()
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

// A peer that sends nothing and does not close is not waited for for ever.
func TestLingerEnds(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{LingerTimeout: millis(30)}, lines(func(c *netconn.Conn, line string) error {
			if err := echo(c, line); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("bye\n")
		talk.Want("bye\n")
		talk.WantEOF()
		eventually(t, "the connection to end", func() bool { return r.eng.Stats().Open == 0 })
	})
}

// End is called exactly once for each connection, however it ends.
func TestEndOnce(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			switch line {
			case "done":
				return netconn.ErrDone
			case "linger":
				return netconn.ErrDone
			case "abort":
				c.Abort()
				return netconn.ErrAbort
			case "panic":
				panic("on purpose")
			}
			return nil
		}))
		ways := []string{"done\n", "linger\n", "abort\n", "panic\n", "partial"}
		for _, way := range ways {
			talk := r.dial()
			talk.Send(way)
			// It fails if the server has already ended the connection.
			_ = talk.Conn.(interface{ CloseWrite() error }).CloseWrite()
			talk.WantGone()
			talk.Close()
		}
		for range ways {
			r.wantEnd()
		}
		_ = r.eng.Close()
		eventually(t, "every connection to end", func() bool { return r.eng.Stats().Open == 0 })
		if extra := len(r.ends); extra != 0 {
			t.Errorf("End was called %d times too often", extra)
		}
	})
}

// An error of New ends the connection; there is no protocol to be told.
func TestNewFails(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
			return nil, errors.New("not today")
		}}, nil)
		talk := r.dial()
		talk.WantGone()
		talk.Close()
		eventually(t, "the connection to end", func() bool { return r.eng.Stats().Open == 0 })
	})
}

// A negative LingerBytes means no limit: a peer that sends more than any default is read to the end.
func TestLingerWithoutBound(t *testing.T) {
	onSome(t, isWhole, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{LingerBytes: -1, LingerTimeout: patience}, lines(func(c *netconn.Conn, _ string) error {
			if err := echo(c, "too large"); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("upload\n")
		r.wantEnd()
		chunk := make([]byte, 64<<10)
		for range 32 {
			if _, err := talk.Conn.Write(chunk); err != nil {
				t.Fatalf("the client's upload: %v", err)
			}
		}
		talk.Want("too large\n")
		talk.HalfClose()
		talk.WantEOF()
	})
}
