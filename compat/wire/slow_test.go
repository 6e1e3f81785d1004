package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"
)

// slowVariable says for how long slow readers read: 5m.
const slowVariable = "SHOCKWAVE_WIRE_SLOW"

// burst is what some of them have read as fast as it came, before they became slow.
const burst = 8 << 20

// A client that reads a few kilobytes a second, steadily and for minutes, is not cut off, though buffers hide its reads from the
// server.
func TestSlowReaders(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv(slowVariable))
	if err != nil {
		t.Skip("takes minutes; scripts/wire slow runs it")
	}
	t.Run("loopback", func(t *testing.T) {
		t.Parallel()
		allReadSlowly(t, long, func(t *testing.T) network { return opened(t, new(plain), nil) })
	})
	t.Run("line", func(t *testing.T) {
		t.Parallel()
		needNamespaces(t)
		allReadSlowly(t, long, func(t *testing.T) network {
			line, err := newLine(pristine, seed)
			return opened(t, line, err)
		})
	})
}

// allReadSlowly reads from every face, at every pace, all at once.
func allReadSlowly(t *testing.T, long time.Duration, open func(t *testing.T) network) {
	for _, f := range append(faces, face{name: "net-http", build: standard}) {
		for _, first := range []int64{0, burst} {
			for _, pace := range []int64{1 << 10, 4 << 10, 16 << 10, 64 << 10} {
				t.Run(fmt.Sprintf("%s/after %d MiB/%d kB per second", f.name, first>>20, pace>>10), func(t *testing.T) {
					t.Parallel()
					s := f.serve(t, open(t))
					began := time.Now()
					if got, err := s.readSlowly(first, pace, long); err != nil {
						t.Errorf("cut off after %d bytes and %v: %v", got, time.Since(began).Round(time.Second), err)
					}
				})
			}
		}
	}
}

// readSlowly reads first bytes of a response at once and then so many a second. Of the response more is left at the end than
// the system's buffers hold, so that the server has somebody to wait for all the time.
func (s *site) readSlowly(first, pace int64, long time.Duration) (got int64, err error) {
	const steps = 4 // per second
	nc, err := s.connect()
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(long + patience))
	size := first + pace*int64(long/time.Second+1) + 32<<20
	fmt.Fprintf(nc, "GET /length?number=1&size=%d HTTP/1.1\r\nHost: %s\r\n\r\n", size, host)
	res, err := http.ReadResponse(bufio.NewReaderSize(nc, 16), nil) // it must not read ahead
	if err != nil {
		return 0, err
	}
	want := content(1, size)
	if got, err = wantBytes(res.Body, want, first); err != nil {
		return got, err
	}
	clock := time.NewTicker(time.Second / steps)
	defer clock.Stop()
	for end := time.Now().Add(long); time.Now().Before(end); <-clock.C {
		n, err := wantBytes(res.Body, want, pace/steps)
		if got += n; err != nil {
			return got, err
		}
	}
	return got, nil
}

// wantBytes reads the next size bytes of r, which must be those of want.
func wantBytes(r, want io.Reader, size int64) (got int64, err error) {
	p, q := make([]byte, 32<<10), make([]byte, 32<<10)
	for got < size {
		n, err := r.Read(p[:min(int64(len(p)), size-got)])
		io.ReadFull(want, q[:n])
		if !bytes.Equal(p[:n], q[:n]) {
			return got, errors.New("other bytes than were sent")
		}
		if got += int64(n); err != nil {
			return got, err
		}
	}
	return got, nil
}
