package nethttp

import (
	"net/http"
	"sync"
)

// sniffLength is as much of a body as http.DetectContentType looks at.
const sniffLength = 512

var sniffBuffers = sync.Pool{New: func() any { b := make([]byte, 0, sniffLength); return &b }}

// startSniffing begins to hold the body back, because its type must be found out. w.mu is held.
func (w *response) startSniffing() { w.sniff = sniffBuffers.Get().(*[]byte) }

// hold takes as much of p as the type needs and returns how many bytes that were; what it holds is written when there
// is enough, or by settleType. w.mu is held.
func (w *response) hold(p []byte) (n int, err error) {
	held := *w.sniff
	n = min(len(p), sniffLength-len(held))
	*w.sniff = append(held, p[:n]...)
	if len(*w.sniff) == sniffLength {
		err = w.settleType()
	}
	return n, err
}

// settleType sets the Content-Type by what is held back, and writes that. Nothing held back means no type. w.mu is
// held.
func (w *response) settleType() error {
	if w.sniff == nil {
		return nil
	}
	var err error
	if held := *w.sniff; len(held) > 0 {
		w.nw.Header().Add("Content-Type", http.DetectContentType(held))
		_, err = w.nw.Write(held)
	}
	w.releaseSniff()
	return err
}

func (w *response) releaseSniff() {
	if w.sniff != nil {
		*w.sniff = (*w.sniff)[:0]
		sniffBuffers.Put(w.sniff)
		w.sniff = nil
	}
}
