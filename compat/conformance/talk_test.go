package conformance

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	patience  = 8 * time.Second        // for a response or a close; a server gives up by itself after 10 s
	unlimited = time.Minute            // for those of a server that does not give up by itself
	silence   = 100 * time.Millisecond // how long nothing must be heard for "wait"
	afterward = "GET /afterward HTTP/1.1\r\nHost: afterward\r\nConnection: close\r\n\r\n"
)

// talk is one connection on which a case is played.
type talk struct {
	nc   net.Conn
	br   *bufio.Reader
	pace pace
	old  bool // only HTTP/1.0 was spoken
	fin  bool // the client closed its side
	// lenientDate lets net/http go without the Date that RFC 9110 §6.6.1 asks for in a 4xx.
	lenientDate bool
	patience    time.Duration // for a response
	endsWithin  time.Duration // for a close
	sent        bytes.Buffer  // for the report
	heard       bytes.Buffer
}

// pace says how bytes are cut into writes.
type pace struct {
	every bool // a write for each byte
	at    int  // 0: whole; else a break of some time after that many bytes
	hasty bool // do not wait long for a close that may never come
	vain  bool // nor for a response
}

// begin wraps a connection.
func begin(nc net.Conn, p pace) *talk {
	t := &talk{nc: nc, pace: p, patience: patience, endsWithin: patience}
	t.br = bufio.NewReader(io.TeeReader(nc, &t.heard))
	return t
}

// play runs a conversation and returns what went wrong.
func (t *talk) play(steps []step, old bool) error {
	t.old = old
	for _, s := range steps {
		if s.send != nil {
			t.send(s.send)
			continue
		}
		ended, err := t.hear(s.hear)
		if err != nil || ended {
			return err
		}
	}
	return nil
}

// send writes. That the peer closed early is no failure here: what it said is judged later.
func (t *talk) send(chunks []chunk) {
	_ = t.nc.SetWriteDeadline(time.Now().Add(t.patience))
	for _, c := range chunks {
		switch {
		case c.fin:
			t.fin = true
			if w, ok := t.nc.(interface{ CloseWrite() error }); ok {
				_ = w.CloseWrite()
			}
		case c.pause > 0:
			time.Sleep(c.pause)
		default:
			t.write(c.bytes)
		}
	}
}

// write sends b at the talk's pace.
func (t *talk) write(b []byte) {
	t.sent.Write(b)
	size := len(b)
	switch {
	case t.pace.every && len(b) < 2000:
		size = 1
	case t.pace.at > 0 && t.pace.at < len(b):
		size = t.pace.at
	}
	for len(b) > 0 {
		n := min(size, len(b))
		if _, err := t.nc.Write(b[:n]); err != nil {
			return
		}
		if b = b[n:]; t.pace.at > 0 && len(b) > 0 {
			time.Sleep(2 * time.Millisecond)
			size, t.pace.at = len(b), 0
		}
	}
}

// hear reads responses until one outcome is met. ended says that the connection is over.
func (t *talk) hear(all []outcome) (ended bool, err error) {
	alive := all
	for i := 0; ; i++ {
		next := longer(alive, i)
		if next == nil {
			return t.finish(alive, i)
		}
		r, err := t.response(next.responses[i])
		if errors.Is(err, errNoResponse) {
			return true, t.closedAfter(alive, i, nil)
		}
		if err != nil {
			return true, fmt.Errorf("response %d: %w", i+1, err)
		}
		if alive, err = still(alive, i, r); err != nil {
			return true, fmt.Errorf("response %d: %w", i+1, err)
		}
		if longer(alive, i+1) == nil {
			return t.finishAfter(alive, i+1, r)
		}
	}
}

// longer returns an outcome with more than i responses.
func longer(all []outcome, i int) *outcome {
	for k := range all {
		if len(all[k].responses) > i {
			return &all[k]
		}
	}
	return nil
}

// still keeps the outcomes whose i-th response r is.
func still(all []outcome, i int, r *reply) ([]outcome, error) {
	var rest []outcome
	var why error
	for _, o := range all {
		if len(o.responses) <= i {
			continue
		}
		if err := o.responses[i].matches(r); err != nil {
			why = err
			continue
		}
		rest = append(rest, o)
	}
	if rest == nil {
		return nil, why
	}
	return rest, nil
}

// response reads one response. Informational ones that were not asked for are skipped (RFC 9110 §15.2).
func (t *talk) response(want response) (*reply, error) {
	for {
		_ = t.nc.SetReadDeadline(time.Now().Add(t.patience))
		r, err := readReply(t.br, want.head)
		if err != nil {
			return nil, err
		}
		if err := r.wellFormed(t.old); err != nil && !(t.lenientDate && r.status >= 400 && len(r.values("Date")) == 0) {
			return nil, err
		}
		if r.status >= 200 || r.status == 101 || strings.HasPrefix(want.status[0], "1") {
			return r, nil
		}
	}
}

// finish judges an ending that comes without a response before it.
func (t *talk) finish(alive []outcome, i int) (bool, error) {
	return t.finishAfter(alive, i, nil)
}

// finishAfter judges the ending after i responses, the last of which was r.
func (t *talk) finishAfter(alive []outcome, i int, r *reply) (bool, error) {
	wants := map[ending]bool{}
	for _, o := range alive {
		wants[o.end] = true
	}
	switch {
	case wants[endGoOn]:
		return false, nil
	case wants[endWait]:
		return true, t.silent()
	}
	closing := r != nil && (r.untilFIN || r.says("Connection", "close"))
	if closing || t.fin || !(wants[endKeep] || wants[endAny]) {
		return true, t.expectClose(alive, i, r)
	}
	t.write([]byte(afterward))
	next, err := t.response(response{})
	if errors.Is(err, errNoResponse) {
		return true, t.closedAfter(alive, i, r)
	}
	if err != nil {
		return true, fmt.Errorf("the request afterwards: %w", err)
	}
	if target, _ := next.echo("target"); next.status != 200 || target != "/afterward" {
		return true, fmt.Errorf("the request afterwards got the response %d %q", next.status, firstBytes(next.body, 200))
	}
	return true, nil
}

// expectClose reads the end of the connection, with nothing before it.
func (t *talk) expectClose(alive []outcome, i int, r *reply) error {
	_ = t.nc.SetReadDeadline(time.Now().Add(t.endsWithin))
	extra, err := readReply(t.br, false)
	switch {
	case errors.Is(err, errNoResponse):
		return t.closedAfter(alive, i, r)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("after %d responses the connection stays open", i)
	case err != nil:
		return fmt.Errorf("after %d responses: %w", i, err)
	}
	return fmt.Errorf("after %d responses there is one more: %d %q", i, extra.status, firstBytes(extra.body, 200))
}

// closedAfter reports whether the connection may end after i responses, and whether the last one, r, said so.
func (t *talk) closedAfter(alive []outcome, i int, r *reply) error {
	for _, o := range alive {
		if len(o.responses) != i || o.end == endKeep && !t.fin || o.end == endWait || o.end == endGoOn {
			continue
		}
		// RFC 9112 §9.6: a server that is about to close says so in its last response.
		if r != nil && !r.says("Connection", "close") && !t.fin && !t.old {
			return fmt.Errorf("closed after a response (%d) without Connection: close", r.status)
		}
		return nil
	}
	return fmt.Errorf("closed after %d responses", i)
}

// silent checks that nothing comes for a while.
func (t *talk) silent() error {
	_ = t.nc.SetReadDeadline(time.Now().Add(silence))
	b, err := t.br.Peek(1)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	if err != nil {
		return errors.New("closed while a message was incomplete")
	}
	_ = t.nc.SetReadDeadline(time.Now().Add(patience))
	r, err := readReply(t.br, false)
	if err != nil {
		return fmt.Errorf("not silent: %q, %w", b, err)
	}
	return fmt.Errorf("an incomplete message got a response: %d %q", r.status, firstBytes(r.body, 200))
}

// isEnd reports whether err means that the peer ended the connection.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}
