package keep

import (
	"bufio"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// flatServer is the process of beFlatServer.
type flatServer struct {
	url    string
	tmp    string
	cmd    *exec.Cmd
	in     io.Writer
	out    *bufio.Reader
	client *http.Client
}

func startFlatServer(t *testing.T) *flatServer {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("needs /proc to see another process's memory")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &flatServer{tmp: t.TempDir(), cmd: exec.Command(self)}
	s.cmd.Env = append(os.Environ(), servingVariable+"=1", "TMPDIR="+s.tmp)
	s.cmd.Stderr = os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{DisableCompression: true}
	s.in, s.out, s.client = in, bufio.NewReader(out), &http.Client{Transport: tr, Timeout: 2 * time.Minute}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		in.Close()
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("the server: %v", err)
		}
	})
	addr, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + strings.TrimSpace(addr)
	return s
}

// settle has the server give back what memory it can, and begins a new peak. It returns what memory is left.
func (s *flatServer) settle(t *testing.T) int64 {
	t.Helper()
	for range 2 { // what a pool holds lives through one collection
		fmt.Fprintln(s.in, "collect")
		if line, err := s.out.ReadString('\n'); line != "collect\n" {
			t.Fatalf("the server answered %q, %v", line, err)
		}
	}
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0); err != nil {
		t.Skip("cannot begin a new peak of memory: ", err)
	}
	return s.status(t, "VmRSS:")
}

// peak returns the most memory that the server had since settle.
func (s *flatServer) peak(t *testing.T) int64 { return s.status(t, "VmHWM:") }

// status reads a line of the server's /proc/PID/status in bytes.
func (s *flatServer) status(t *testing.T, name string) (n int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(text), name)
	if _, err := fmt.Sscanf(line, "%d kB", &n); err != nil {
		t.Fatalf("no %s: %v", name, err)
	}
	return n << 10
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

// count sends req and reads the number in the answer.
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
			return 0, fmt.Errorf("answered %s: %q", res.Status, text)
		}
		return n, nil
	}
}

// download reads an answer of n bytes and returns how many came.
func (s *flatServer) download(n int64) (int64, error) {
	res, err := s.client.Get(fmt.Sprintf("%s/large/%d", s.url, n))
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	return io.Copy(io.Discard, res.Body)
}
