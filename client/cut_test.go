package client_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// stormEnv says how many requests TestCut sends over each version of HTTP; see scripts/storm.
const stormEnv = "SHOCKWAVE_STORM"

// Over connections that are cut at random each request gets its own response or an error, requests that do harm arrive once at
// most, and nothing is left behind.
func TestCut(t *testing.T) {
	requests := 1000 // over each version
	if n, err := strconv.Atoi(os.Getenv(stormEnv)); err == nil {
		requests = n
	}
	first := newCutter(t, "") // for which the runtime makes a poller
	first.Close()
	first.open.Wait()
	goroutines, files := runtime.NumGoroutine(), descriptors(t)
	for _, retry := range []client.Retry{{}, {Max: 3, Wait: time.Millisecond, Budget: -1}} {
		for p, name := range map[client.Protocol]string{client.HTTP1: "HTTP1", client.HTTP2: "HTTP2"} {
			t.Run(fmt.Sprintf("%s with %d retries", name, retry.Max), func(t *testing.T) {
				newCuts(t, client.Config{Protocol: p, Retry: retry}, requests/2).run()
			})
		}
	}
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines || len(descriptors(t)) > len(files); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d at the start; descriptors of %q, at the start of %q", runtime.NumGoroutine(), goroutines, descriptors(t), files)
		}
	}
}

// cuts is a client over connections that are cut, and the journal of its server.
type cuts struct {
	*testing.T
	client          *client.Client
	url             string
	cutter          *cutter
	journal         []entry // by request
	next, good, bad atomic.Int32
}

// entry is what the server has recorded of a request.
type entry struct {
	sync.Mutex
	begun    int   // how often its head has arrived
	arrivals []int // the number that each whole one was given, which its response has
	wrong    string
}

// patienceOfCuts is the time within which each request ends, and how long the client waits for a head or the next byte: if
// none arrives, the connection has been cut, and the client notices that at once.
const patienceOfCuts = 30 * time.Second

func newCuts(t *testing.T, cfg client.Config, requests int) *cuts {
	c := &cuts{T: t, journal: make([]entry, requests)}
	c.cutter = newCutter(t, strings.TrimPrefix(serve(t, c.respond), "http://"))
	cfg.HeadTimeout, cfg.BodyTimeout = patienceOfCuts, patienceOfCuts
	c.url = "http://" + c.cutter.Addr().String()
	c.client = newClient(t, cfg)
	return c
}

var arrival atomic.Int32

// respond is the server's handler.
func (c *cuts) respond(w http.ResponseWriter, r *http.Request) {
	if r.Method == "PRI" {
		return // the client's preface of HTTP/2 was cut (RFC 9113 §3.4)
	}
	n, err := strconv.Atoi(r.URL.Path[1:])
	if err != nil || n < 0 || n >= len(c.journal) {
		c.Errorf("the server has seen %q", r.URL.Path)
		return
	}
	e := &c.journal[n]
	e.Lock()
	e.begun++
	e.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	number := int(arrival.Add(1))
	e.Lock()
	e.arrivals = append(e.arrivals, number)
	if r.Method != method(n) || !bytes.Equal(body, bodyOf(n)) {
		e.wrong = fmt.Sprintf("%s with a body of %d bytes", r.Method, len(body))
	}
	e.Unlock()
	text := fmt.Sprintf("%d %d %s", n, number, strings.Repeat("x", n%5000))
	if n%3 == 0 { // in chunks, of which some leave at once
		io.WriteString(w, text[:len(text)/2])
		w.(http.Flusher).Flush()
		text = text[len(text)/2:]
	}
	io.WriteString(w, text)
}

// method returns the method of a request: half of them must not be sent twice.
func method(n int) string { return []string{"GET", "POST", "PUT", "POST"}[n%4] }

// bodyOf returns the body of a request.
func bodyOf(n int) []byte {
	if method(n) == "GET" {
		return nil
	}
	return bytes.Repeat([]byte(fmt.Sprintf("%d ", n)), n*7%1500)
}

func (c *cuts) run() {
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for n := int(c.next.Add(1)) - 1; n < len(c.journal); n = int(c.next.Add(1)) - 1 {
				c.request(n)
			}
		})
	}
	wg.Wait()
	for n := range c.journal {
		e := &c.journal[n]
		e.Lock()
		if e.begun > 1 && method(n) == "POST" {
			c.Errorf("request %d, which must not be sent twice, arrived %d times", n, e.begun)
		}
		if e.wrong != "" {
			c.Errorf("request %d arrived as %s", n, e.wrong)
		}
		e.Unlock()
	}
	s := c.client.Stats()
	c.Logf("%d responses, %d errors, cuts %v, %+v", c.good.Load(), c.bad.Load(), []int32{
		c.cutter.cuts[0].Load(), c.cutter.cuts[1].Load(), c.cutter.cuts[2].Load(), c.cutter.cuts[3].Load(),
	}, s)
	if few := int32(len(c.journal) / 20); c.good.Load() < few || c.bad.Load() < few/4 {
		c.Error("too few requests succeeded or failed: the cuts are at the wrong places")
	}
	if told := c.good.Load() + c.bad.Load(); int(told) != len(c.journal) {
		c.Errorf("%d outcomes of %d requests", told, len(c.journal))
	}
}

// request sends a request, whose body is in memory or a stream, and compares the result with the journal.
func (c *cuts) request(n int) {
	req := &client.Request{Method: method(n), URL: fmt.Sprintf("%s/%d", c.url, n), Body: bodyOf(n)}
	if n%8 > 3 && req.Method != "GET" {
		req.Stream, req.Body = bytes.NewReader(req.Body), nil
	}
	begun := time.Now()
	status, body, err := do(c.client, req)
	if took := time.Since(begun); took >= patienceOfCuts {
		c.Errorf("request %d took %v: %v", n, took, err)
	}
	if err != nil {
		c.bad.Add(1)
		if e := (*client.Error)(nil); !errors.As(err, &e) || e.Timeout() {
			c.Errorf("request %d: %v", n, err)
		}
		return
	}
	c.good.Add(1)
	which, number, rest := 0, 0, ""
	fmt.Sscanf(body, "%d %d %s", &which, &number, &rest)
	e := &c.journal[n]
	e.Lock()
	defer e.Unlock()
	if status != 200 || which != n || rest != strings.Repeat("x", n%5000) || !slices.Contains(e.arrivals, number) {
		c.Errorf("request %d: %d, of arrival %d, %.30q, %d bytes; it arrived as %v", n, status, number, body, len(body), e.arrivals)
	}
}

// descriptors lists the open descriptors of the process; it is empty on systems that do not show them.
func descriptors(t testing.TB) (files []string) {
	all, _ := os.ReadDir("/proc/self/fd")
	for _, e := range all {
		file, _ := os.Readlink("/proc/self/fd/" + e.Name())
		files = append(files, file)
	}
	return files
}
