package keep

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"sync"
	"testing"
	"time"
)

// flatServer is a process that serves HTTP/1.1, and its client.
type flatServer struct {
	*flatProcess
	url    string
	client *http.Client
}

func startFlatServer(t *testing.T) *flatServer {
	t.Helper()
	tr := &http.Transport{DisableCompression: true}
	s := &flatServer{flatProcess: startFlat(t, "http1"), client: &http.Client{Transport: tr, Timeout: 2 * time.Minute}}
	t.Cleanup(tr.CloseIdleConnections)
	s.url = "http://" + s.line(t)
	return s
}

// atOnce runs once n times at the same time; each must return want.
func (s *flatServer) atOnce(t *testing.T, n int, once func() (int64, error), want int64) {
	t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if got, err := once(); err != nil || got != want {
				t.Errorf("%d bytes and %v, want %d bytes", got, err, want)
			}
		})
	}
	all.Wait()
}

// upload sends a form with one file of n bytes and returns how many the server counted.
func (s *flatServer) upload(path string, n int64) (int64, error) {
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("file", "large.bin")
		if err == nil {
			_, err = io.CopyN(part, zeros{}, n)
		}
		if err == nil {
			err = form.Close()
		}
		w.CloseWithError(err)
	}()
	return s.count(http.NewRequest("POST", s.url+path, r))(form.FormDataContentType())
}

// post sends a body of n bytes whose length is declared, and returns how many the server counted.
func (s *flatServer) post(n int64) (int64, error) {
	req, err := http.NewRequest("POST", s.url+"/copy", io.NopCloser(io.LimitReader(zeros{}, n)))
	if err == nil {
		req.ContentLength = n
	}
	return s.count(req, err)("application/octet-stream")
}

// count sends req and reads the number in the response.
func (s *flatServer) count(req *http.Request, err error) func(contentType string) (int64, error) {
	return func(contentType string) (n int64, _ error) {
		if err != nil {
			return 0, err
		}
		req.Header.Set("Content-Type", contentType)
		res, err := s.client.Do(req)
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			return 0, err
		}
		if _, err := fmt.Sscan(string(text), &n); err != nil {
			return 0, fmt.Errorf("got the response %s: %q", res.Status, text)
		}
		return n, nil
	}
}

// download reads a response of n bytes and returns how many came.
func (s *flatServer) download(n int64) (int64, error) {
	res, err := s.client.Get(fmt.Sprintf("%s/large/%d", s.url, n))
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	return io.Copy(io.Discard, res.Body)
}
