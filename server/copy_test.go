package server_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// digest is a destination that takes a whole reader at once.
type digest struct{ readFroms, writes, n int }

// Write implements io.Writer.
func (d *digest) Write(p []byte) (int, error) {
	d.writes++
	return len(p), nil
}

// ReadFrom implements io.ReaderFrom.
func (d *digest) ReadFrom(r io.Reader) (int64, error) {
	d.readFroms++
	n, err := io.Copy(io.Discard, r)
	d.n += int(n)
	return n, err
}

// A copy of a body calls the ReadFrom of its destination, not its Write.
func TestCopyOfRequestAsksTheDestination(t *testing.T) {
	const size = 300_000
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		var d digest
		_, err := io.Copy(&d, r)
		fmt.Fprint(w, d, err)
	})
	k := f.talk(t)
	for _, request := range []string{
		post(fmt.Sprintf("Content-Length: %d\r\n", size), strings.Repeat("x", size)),
		post(chunkedField, fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, strings.Repeat("x", size))),
	} {
		k.Send(request)
		k.WantUntil("\r\n\r\n{1 0 300000} <nil>")
	}
}
