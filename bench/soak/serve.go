package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// pieceBytes is how much of a streamed answer is flushed at a time.
const pieceBytes = 32 << 10

// eventPace is the time between two events of a stream.
const eventPace = 20 * time.Millisecond

// turn is a request and its answer, as the house sees them whatever a handler's types are.
type turn struct {
	in     io.Reader
	out    io.Writer
	set    func(name, value string) // a field of the answer
	refuse func(status int, why string)
	flush  func() error
	hijack func() (net.Conn, *bufio.ReadWriter, error)
	gone   func() <-chan struct{} // closed when the client is gone; called once
	abort  any                    // what a handler panics with in silence
}

// answer answers a request with this path.
func (h *house) answer(path string, t *turn) {
	a, ok := parseAsk(path)
	if !ok {
		t.refuse(404, "no such page")
		return
	}
	h.begun.add(a.number)
	t.set("X-Number", strconv.FormatUint(a.number, 10))
	body := patternOf(a.number, a.size)
	switch a.what {
	case askBytes:
		t.set("Content-Length", strconv.FormatInt(a.size, 10))
		io.Copy(t.out, body)
	case askStream:
		for body.left > 0 {
			t.out.Write(body.next(pieceBytes))
			t.flush()
		}
	case askTake:
		t.take(body)
	case askSleep:
		select {
		case <-t.gone():
		case <-time.After(time.Duration(a.size) * time.Millisecond):
		}
	case askPanic:
		t.panic(a)
	case askHijack:
		if nc, rw, err := t.hijack(); err == nil {
			echoLines(nc, rw, a)
		}
	case askEvents:
		h.sendEvents(t, a)
	default:
		t.refuse(404, "no such page")
	}
}

// take compares the body with its pattern.
func (t *turn) take(body *pattern) {
	_, err := io.Copy(body, t.in)
	if err == nil {
		err = body.whole()
	}
	if err != nil {
		t.refuse(400, err.Error())
	}
}

// panic fails before anything was written, in the middle of an answer, or in silence.
func (t *turn) panic(a ask) {
	switch a.number % 3 {
	case 0:
		panic("soak: before the answer")
	case 1:
		t.set("Content-Length", "100000")
		t.out.Write(patternOf(a.number, 50000).next(50000))
		panic("soak: in the middle of the answer")
	}
	panic(t.abort)
}

// sendEvents sends events until the client leaves or the house closes.
func (h *house) sendEvents(t *turn, a ask) {
	h.streams.Add(1)
	defer h.streams.Add(-1)
	t.set("Content-Type", "text/event-stream")
	left := t.gone()
	pace := time.NewTicker(eventPace)
	defer pace.Stop()
	for i := 0; ; i++ {
		fmt.Fprintf(t.out, "data: %d of %d\n\n", i, a.number)
		if t.flush() != nil {
			return
		}
		select {
		case <-left:
			return
		case <-h.closing:
			return
		case <-pace.C:
		}
	}
}
