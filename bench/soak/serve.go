package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// pieceBytes is how many bytes of a streamed response are written before each flush.
const pieceBytes = 32 << 10

// eventInterval is the time between two events of a stream.
const eventInterval = 20 * time.Millisecond

// handlerCall is a request and its response, independent of the types of the handler.
type handlerCall struct {
	in     io.Reader
	out    io.Writer
	set    func(name, value string) // sets a field of the response
	refuse func(status int, why string)
	flush  func() error
	hijack func() (net.Conn, *bufio.ReadWriter, error)
	gone   func() <-chan struct{} // returns a channel that is closed when the client has closed the connection; called once
	abort  any                    // the panic value that aborts the response without a log line
}

// respond handles the request t, whose path says what to do.
func (h *serverGroup) respond(path string, t *handlerCall) {
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

// take compares the request body with its pattern.
func (t *handlerCall) take(body *pattern) {
	_, err := io.Copy(body, t.in)
	if err == nil {
		err = body.whole()
	}
	if err != nil {
		t.refuse(400, err.Error())
	}
}

// panic panics before anything is written, in the middle of a response, or with the abort value.
func (t *handlerCall) panic(a ask) {
	switch a.number % 3 {
	case 0:
		panic("soak: before the response")
	case 1:
		t.set("Content-Length", "100000")
		t.out.Write(patternOf(a.number, 50000).next(50000))
		panic("soak: in the middle of the response")
	}
	panic(t.abort)
}

// sendEvents sends events until the client closes the connection or the servers shut down.
func (h *serverGroup) sendEvents(t *handlerCall, a ask) {
	h.streams.Add(1)
	defer h.streams.Add(-1)
	t.set("Content-Type", "text/event-stream")
	left := t.gone()
	ticker := time.NewTicker(eventInterval)
	defer ticker.Stop()
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
		case <-ticker.C:
		}
	}
}
