package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait; it decides nothing when things work.
const patience = time.Minute

// unused is an address that nobody listens on, nor is given by chance.
const unused = "127.0.0.1:1"

// running is a part of the program that serves within the test.
type running struct {
	t        *testing.T
	addr     string
	site     site
	url      string
	client   *http.Client
	out, err buffer
	again    context.CancelFunc // the second signal
	first    context.CancelFunc
	ended    chan error
}

// overTLS is a site with TLS and without HTTP/3.
var overTLS = siteOptions{tls: true}

// everywhere is a site with TLS and HTTP/3, alone one with HTTP/3 only.
var everywhere, alone = siteOptions{tls: true, h3: true}, siteOptions{h3: true}

// start runs serve on a free port until the test ends.
func start(t *testing.T, opt siteOptions, serve func(s stop, at site, con console) error) *running {
	t.Helper()
	opt.addr = "127.0.0.1:0"
	at, err := opt.open(console{out: t.Output(), err: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, addr: at.addr().String(), site: at, ended: make(chan error, 1)}
	r.url = "http://" + r.addr
	if opt.secure() {
		r.url = "https://" + r.addr
	}
	var s stop
	s.gracefully, r.first = context.WithCancel(context.Background())
	s.now, r.again = context.WithCancel(context.Background())
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
	r.client = &http.Client{
		Transport:     transport,
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	go func() {
		defer at.close()
		r.ended <- serve(s, at, console{out: &r.out, err: &r.err})
	}()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		r.first()
		r.again()
		if err := r.end(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if s := r.err.String(); s != "" {
			t.Logf("the server said:\n%s", s)
		}
	})
	return r
}

func startServe(t *testing.T, opt serveOptions) *running {
	t.Helper()
	return start(t, opt.siteOptions, func(s stop, at site, con console) error { return serveOn(s, at, opt, con) })
}

func startEcho(t *testing.T, opt echoOptions) *running {
	t.Helper()
	return start(t, opt.siteOptions, func(s stop, at site, con console) error { return echoOn(s, at, opt, con) })
}

// end waits for the end of the server, which must have been asked for; it may be called again.
func (r *running) end() error {
	select {
	case err := <-r.ended:
		r.ended <- err
		return err
	case <-time.After(patience):
		return errors.New("it does not end")
	}
}

// do sends a request with head lines "Name: value" and returns the answer and its whole body.
func (r *running) do(method, path string, head ...string) (*http.Response, string) {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, line := range head {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatalf("%s %s: body: %v", method, path, err)
	}
	return resp, string(body)
}

// talk is a connection on which a test says exactly what it means.
type talk struct {
	t  *testing.T
	nc net.Conn
	br *bufio.Reader
}

func (r *running) dial() *talk {
	r.t.Helper()
	nc, err := net.Dial("tcp", r.addr)
	if err == nil && strings.HasPrefix(r.url, "https") {
		nc = tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
	}
	if err != nil {
		r.t.Fatal(err)
	}
	nc.SetDeadline(time.Now().Add(patience))
	r.t.Cleanup(func() { nc.Close() })
	return &talk{r.t, nc, bufio.NewReader(nc)}
}

func (k *talk) say(s string) {
	k.t.Helper()
	if _, err := io.WriteString(k.nc, s); err != nil {
		k.t.Fatal(err)
	}
}

// hear reads an answer to a request with this method, and its whole body.
func (k *talk) hear(method string) (*http.Response, string) {
	k.t.Helper()
	resp, err := http.ReadResponse(k.br, &http.Request{Method: method})
	if err != nil {
		k.t.Fatalf("no answer: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		k.t.Fatalf("body: %v after %d bytes", err, len(body))
	}
	return resp, string(body)
}

// wantEnd wants the server to close the connection without another byte.
func (k *talk) wantEnd() {
	k.t.Helper()
	if rest, err := io.ReadAll(k.br); err != nil || len(rest) > 0 {
		k.t.Errorf("got %q, %v; want the end of the connection", rest, err)
	}
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
