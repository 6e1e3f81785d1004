package coding

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// After Close nothing is read, and Close may be called again.
func TestClose(t *testing.T) {
	for _, codings := range append(all, "") {
		body := coded(t, codings, text(100_000))
		for _, before := range []int{0, 1, 50_000, 200_000} {
			r := opened(t, bytes.NewReader(body), codings, Limits{})
			io.CopyN(io.Discard, r, int64(before))
			for range 2 {
				if err := r.Close(); err != nil {
					t.Errorf("%s: %v", codings, err)
				}
			}
			if n, err := r.Read(make([]byte, 10)); n != 0 || err != net.ErrClosed {
				t.Errorf("%s, closed after %d bytes: %d, %v", codings, before, n, err)
			}
			if r.n != 0 || r.stages != [maxCodings]*stage{} || r.body.Reader != nil {
				t.Errorf("%s, closed after %d bytes: it keeps %+v", codings, before, r)
			}
		}
	}
}

// A Reader reads one body after another, however the one before has ended.
func TestReset(t *testing.T) {
	var r Reader
	if r.Close() != nil {
		t.Error("the zero Reader cannot be closed")
	}
	plain := text(10_000)
	for i := range 200 {
		codings := all[i%len(all)]
		body := coded(t, codings, plain)
		if err := r.Reset(bytes.NewReader(body), named(codings), Limits{}); err != nil {
			t.Fatal(err)
		}
		switch i / len(all) % 4 {
		case 0:
			continue // left as it is
		case 1:
			io.CopyN(io.Discard, &r, 100)
			continue
		case 2:
			body[len(body)/2] ^= 0xff
			io.Copy(io.Discard, &r)
			continue
		}
		if got, err := io.ReadAll(&r); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("body %d, %s: %d bytes, %v", i, codings, len(got), err)
		}
	}
	if err := r.Reset(bytes.NewReader(nil), "dcb", Limits{}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != net.ErrClosed {
		t.Errorf("after an unknown coding: %v", err)
	}
}

// held is a source whose first Read waits until it is let go.
type held struct {
	reading, let chan struct{}
	waited       bool
	body         io.Reader // nil: reading fails then
}

func (h *held) Read(p []byte) (int, error) {
	if !h.waited {
		h.waited = true
		close(h.reading)
		<-h.let
	}
	if h.body == nil {
		return 0, io.ErrUnexpectedEOF
	}
	return h.body.Read(p)
}

// Close returns at once, and the decoder is used again only when the running Read has ended.
func TestCloseDuringRead(t *testing.T) {
	for _, coding := range append(all, "") {
		closeDuringRead(t, coding, nil, io.ErrUnexpectedEOF)
		closeDuringRead(t, coding, bytes.NewReader(coded(t, coding, text(1000))), nil)
	}
}

// closeDuringRead closes a Reader while it reads body, which is to end as want says.
func closeDuringRead(t *testing.T, coding string, body io.Reader, want error) {
	h := &held{make(chan struct{}), make(chan struct{}), false, body}
	r := opened(t, h, coding, Limits{})
	done := make(chan error)
	go func() {
		_, err := r.Read(make([]byte, 10))
		done <- err
	}()
	<-h.reading
	if _, err := r.Read(make([]byte, 10)); err != errTwoReads {
		t.Errorf("%s: a second Read: %v", coding, err)
	}
	r.Close()
	if r.body.Reader == nil {
		t.Errorf("%s: given back during a Read", coding)
	}
	if _, err := r.Read(make([]byte, 10)); err != net.ErrClosed {
		t.Errorf("%s: a Read after Close: %v", coding, err)
	}
	close(h.let)
	if err := <-done; err != want {
		t.Errorf("%s: %v, want %v", coding, err, want)
	}
	if r.n != 0 || r.stages != [maxCodings]*stage{} || r.body.Reader != nil {
		t.Errorf("%s: not given back after the Read", coding)
	}
	if _, err := r.Read(make([]byte, 10)); err != net.ErrClosed {
		t.Errorf("%s: a Read after all: %v", coding, err)
	}
}

// Bodies that are read, left and closed at the same time do not get each other's bytes.
func TestTogether(t *testing.T) {
	plain := [][]byte{text(20_000), noise(20_000), make([]byte, 20_000)}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 30 {
				codings, plain := all[(i+j)%len(all)], plain[j%3]
				r, err := NewReader(bytes.NewReader(coded(t, codings, plain)), named(codings), Limits{})
				if err != nil {
					t.Error(err)
					return
				}
				closed := make(chan struct{})
				if j%2 == 0 {
					go func() { r.Close(); close(closed) }()
				}
				got, err := io.ReadAll(r)
				if !bytes.HasPrefix(plain, got) || err != nil && err != net.ErrClosed || err == nil && len(got) < len(plain) {
					t.Errorf("%s: %d bytes, %v", codings, len(got), err)
				}
				if j%2 == 0 {
					<-closed
				}
				r.Close()
			}
		})
	}
	wg.Wait()
}
