package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Bodies of many sizes arrive whole, with a length and in chunks, in turn and in both directions at once, on connections that are
// kept.
func TestBodies(t *testing.T) {
	onEveryFace(t, func(t *testing.T, s *site) {
		var all sync.WaitGroup
		defer all.Wait()
		for n, large := range []int64{3 << 20, 200_000, 20_000} {
			all.Go(func() {
				u := s.user()
				defer u.CloseIdleConnections()
				for i, size := range []int64{0, 1, 4095, large} {
					if err := u.exchange(uint64(10*n+i), size); err != nil {
						t.Errorf("%d bytes: %v", size, err)
					}
				}
			})
		}
	})
}

// user is a client of a site.
type user struct {
	http.Client
	url string
}

func (s *site) user() *user {
	u := &user{url: s.scheme() + "://" + host}
	u.Timeout = patience
	u.Transport = &http.Transport{
		DialContext:        func(ctx context.Context, _, _ string) (net.Conn, error) { return s.dial(ctx) },
		TLSClientConfig:    anyCertificate,
		DisableCompression: true,
	}
	return u
}

const host = "wire.example"

var anyCertificate = &tls.Config{InsecureSkipVerify: true, ServerName: host}

func (s *site) scheme() string {
	if s.secure {
		return "https"
	}
	return "http"
}

// exchange sends and takes a body in every way.
func (u *user) exchange(number uint64, size int64) error {
	for _, path := range []string{"length", "chunks"} {
		res, err := u.Get(fmt.Sprintf("%s/%s?number=%d&size=%d", u.url, path, number, size))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		err = wantSum(res.Body, number, size)
		res.Body.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, chunked := range []bool{false, true} {
		text, err := u.post("/sum", number, size, chunked)
		if err == nil && string(text) != sumOf(number, size) {
			err = fmt.Errorf("the server got %s, and not %s", text, sumOf(number, size))
		}
		if err != nil {
			return fmt.Errorf("post, chunked %v: %w", chunked, err)
		}
		echo, err := u.post("/echo", number, size, chunked)
		if err == nil {
			err = wantSum(bytes.NewReader(echo), number, size)
		}
		if err != nil {
			return fmt.Errorf("echo, chunked %v: %w", chunked, err)
		}
	}
	return nil
}

// post sends content and returns what comes back.
func (u *user) post(path string, number uint64, size int64, chunked bool) ([]byte, error) {
	req, err := http.NewRequest("POST", u.url+path, io.NopCloser(content(number, size)))
	if err != nil {
		return nil, err
	}
	if req.ContentLength = size; chunked {
		req.ContentLength = -1
	}
	res, err := u.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}
