package wire

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"time"
)

// way is one direction of a connection through a proxy.
type way struct {
	src, dst *net.TCPConn
	fate     fate // of this direction
	dice     *rand.Rand
	carried  int64
	pauses   int // that may still be made: a long stream is not to take for ever
}

// gulp is how much is taken at once, unless pieces are held back: then it may be twice as much.
const gulp = 64 << 10

// carry carries bytes until there are no more, or the way has met its fate.
func (w *way) carry() {
	buf := make([]byte, 0, 2*gulp)
	for {
		n, err := w.src.Read(buf[:gulp])
		buf = buf[:n]
		if err == nil && w.dice.IntN(4) == 0 {
			// As if a piece had been lost: until it is sent again what came behind it waits, and then comes at once.
			cut := w.dice.IntN(n + 1)
			if !w.deliver(buf[:cut]) {
				return
			}
			buf, err = w.holdBack(buf[:copy(buf, buf[cut:])])
		}
		if !w.deliver(buf) {
			return
		}
		switch {
		case err == io.EOF:
			w.dst.CloseWrite()
			return
		case err != nil:
			reset(w.src, w.dst)
			return
		}
	}
}

// holdBack appends to buf what comes within a while.
func (w *way) holdBack(buf []byte) ([]byte, error) {
	w.src.SetReadDeadline(time.Now().Add(time.Duration(w.dice.Int64N(int64(8 * time.Millisecond)))))
	defer w.src.SetReadDeadline(time.Time{})
	for len(buf) < cap(buf) {
		n, err := w.src.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// deliver writes p in pieces, most of them of 1 to 7 bytes as long as there are pauses left. It reports whether the way goes
// on.
func (w *way) deliver(p []byte) bool {
	w.pauses = min(w.pauses+8, 100)
	for len(p) > 0 {
		size := 1 + w.dice.IntN(7)
		if w.pauses == 0 || w.dice.IntN(8) == 0 {
			size = 1 + w.dice.IntN(1<<w.dice.IntN(17))
		}
		size = min(size, len(p))
		if !w.write(p[:size]) {
			return false
		}
		p = p[size:]
		if w.pauses > 0 && w.dice.IntN(2) == 0 {
			w.pauses--
			time.Sleep(100 * time.Microsecond) // so that what came so far is read before there is more
		}
	}
	return true
}

// write writes one piece, or as much of it as fate allows.
func (w *way) write(p []byte) bool {
	met := w.fate.kind != whole && w.carried+int64(len(p)) >= w.fate.after
	if met {
		p = p[:w.fate.after-w.carried]
	}
	n, err := w.dst.Write(p)
	w.carried += int64(n)
	switch {
	case err != nil || met && w.fate.kind == isReset:
		reset(w.src, w.dst)
		return false
	case met:
		w.dst.CloseWrite()
		io.Copy(io.Discard, w.src) // or both ends might wait for somebody to read
		return false
	}
	return true
}
