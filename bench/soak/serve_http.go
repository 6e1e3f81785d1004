package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// pieceBytes is how much of a streamed answer is flushed at a time.
const pieceBytes = 32 << 10

// eventPace is the time between two events of a stream.
const eventPace = 20 * time.Millisecond

// ServeHTTP answers a request through net/http's types.
func (h *house) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, ok := parseAsk(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
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
			w.(http.Flusher).Flush()
		}
	case askTake:
		h.take(w, r, body)
	case askSleep:
		select {
		case <-r.Context().Done():
		case <-time.After(time.Duration(a.size) * time.Millisecond):
		}
	case askPanic:
		panicHTTP(w, a)
	case askHijack:
		nc, rw, err := http.NewResponseController(w).Hijack()
		if err == nil {
			echoLines(nc, rw, a)
		}
	case askEvents:
		h.sendEvents(w, r, a)
	default:
		http.NotFound(w, r)
	}
}

// take compares the body with its pattern.
func (h *house) take(w http.ResponseWriter, r *http.Request, body *pattern) {
	_, err := io.Copy(body, r.Body)
	if err == nil {
		err = body.whole()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// panicHTTP fails before anything was written, in the middle of an answer, or in silence.
func panicHTTP(w http.ResponseWriter, a ask) {
	switch a.number % 3 {
	case 0:
		panic("soak: before the answer")
	case 1:
		w.Header().Set("Content-Length", "100000")
		w.Write(patternOf(a.number, 50000).next(50000))
		panic("soak: in the middle of the answer")
	}
	panic(http.ErrAbortHandler)
}

// sendEvents sends events until the client leaves or the house closes.
func (h *house) sendEvents(w http.ResponseWriter, r *http.Request, a ask) {
	h.streams.Add(1)
	defer h.streams.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	pace := time.NewTicker(eventPace)
	defer pace.Stop()
	for i := 0; ; i++ {
		fmt.Fprintf(w, "data: %d of %d\n\n", i, a.number)
		http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-h.closing:
			return
		case <-pace.C:
		}
	}
}
