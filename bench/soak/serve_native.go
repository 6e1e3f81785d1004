package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// serveNative is ServeHTTP for native handlers.
func (h *house) serveNative(w *server.ResponseWriter, r *server.Request) {
	a, ok := parseAsk(string(r.Path()))
	if !ok {
		w.Error(404, "no such page")
		return
	}
	h.begun.add(a.number)
	w.Header().Set("X-Number", strconv.FormatUint(a.number, 10))
	body := patternOf(a.number, a.size)
	switch a.what {
	case askBytes:
		w.Header().Set("Content-Length", strconv.FormatInt(a.size, 10))
		io.Copy(w, body)
	case askStream:
		for body.left > 0 {
			w.Write(body.next(pieceBytes))
			w.Flush()
		}
	case askTake:
		_, err := io.Copy(body, r)
		if err == nil {
			err = body.whole()
		}
		if err != nil {
			w.Error(400, err.Error())
		}
	case askSleep:
		gone := make(chan struct{})
		defer r.OnGone(func() { close(gone) })()
		select {
		case <-gone:
		case <-time.After(time.Duration(a.size) * time.Millisecond):
		}
	case askPanic:
		panicNative(w, a)
	case askHijack:
		nc, rw, err := w.Hijack()
		if err == nil {
			echoLines(nc, rw, a)
		}
	case askEvents:
		h.sendEventsNative(w, r, a)
	default:
		w.Error(404, "no such page")
	}
}

// panicNative is panicHTTP for native handlers.
func panicNative(w *server.ResponseWriter, a ask) {
	switch a.number % 3 {
	case 0:
		panic("soak: before the answer")
	case 1:
		w.Header().Set("Content-Length", "100000")
		w.Write(patternOf(a.number, 50000).next(50000))
		panic("soak: in the middle of the answer")
	}
	panic(server.ErrAbort)
}

// sendEventsNative is sendEvents for native handlers.
func (h *house) sendEventsNative(w *server.ResponseWriter, r *server.Request, a ask) {
	h.streams.Add(1)
	defer h.streams.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	gone := make(chan struct{})
	defer r.OnGone(func() { close(gone) })()
	pace := time.NewTicker(eventPace)
	defer pace.Stop()
	for i := 0; ; i++ {
		fmt.Fprintf(w, "data: %d of %d\n\n", i, a.number)
		if w.Flush() != nil {
			return
		}
		select {
		case <-gone:
			return
		case <-h.closing:
			return
		case <-pace.C:
		}
	}
}
