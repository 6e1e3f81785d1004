package clitest

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

	"github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
)

// OverHTTP2 has r's client speak HTTP/2 and nothing else, with or without TLS.
func (r *Running) OverHTTP2() {
	p := new(http.Protocols)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: p, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
	r.T.Cleanup(transport.CloseIdleConnections)
	r.Client.Transport = transport
}

// OverHTTP3 has r's client speak HTTP/3 and nothing else.
func (r *Running) OverHTTP3() {
	transport := &http3.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
	r.T.Cleanup(func() { transport.Close() })
	r.Client.Transport = transport
}

// Hello opens WebSocket on a new connection.
func (r *Running) Hello(path string, lines ...string) *Talk {
	r.T.Helper()
	k := r.Dial()
	resp := k.Upgrade(path, lines...)
	if resp.StatusCode != 101 || resp.Header.Get("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		r.T.Fatalf("upgrade: %s, Accept %q", resp.Status, resp.Header.Get("Sec-WebSocket-Accept"))
	}
	return k
}

// Patience bounds every wait; it decides nothing when things work.
const Patience = time.Minute

// Unused is an address that nobody listens on, nor is given by chance.
const Unused = "127.0.0.1:1"

// Running is a part of the program that serves within the test.
type Running struct {
	T        *testing.T
	Addr     string
	Site     site.Site
	URL      string
	Client   *http.Client
	Out, Err Buffer
	Again    context.CancelFunc // the second signal
	First    context.CancelFunc
	ended    chan error
}

// OverTLS is a site with TLS and without HTTP/3.
var OverTLS = site.Options{TLS: true}

// Everywhere is a site with TLS and HTTP/3, alone one with HTTP/3 only.
var Everywhere, Alone = site.Options{TLS: true, H3: true}, site.Options{H3: true}

// Serve runs a command that serves on a free port until the test ends.
func Serve(t *testing.T, command site.Command) *Running {
	t.Helper()
	opt := command.Where()
	opt.Addr = "127.0.0.1:0"
	at, err := opt.Open(cli.Console{Out: t.Output(), Err: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	r := &Running{T: t, Addr: at.Addr().String(), Site: at, ended: make(chan error, 1)}
	r.URL = "http://" + r.Addr
	if opt.Secure() {
		r.URL = "https://" + r.Addr
	}
	var s cli.Stop
	s.Gracefully, r.First = context.WithCancel(context.Background())
	s.Now, r.Again = context.WithCancel(context.Background())
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
	r.Client = &http.Client{
		Transport:     transport,
		Timeout:       Patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	go func() {
		defer at.Close()
		r.ended <- command.ServeOn(s, at, cli.Console{Out: &r.Out, Err: &r.Err})
	}()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		r.First()
		r.Again()
		if err := r.End(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if s := r.Err.String(); s != "" {
			t.Logf("the server said:\n%s", s)
		}
	})
	return r
}

// End waits for the end of the server, which must have been asked for; it may be called again.
func (r *Running) End() error {
	select {
	case err := <-r.ended:
		r.ended <- err
		return err
	case <-time.After(Patience):
		return errors.New("it does not end")
	}
}

// Do sends a request with head lines "Name: value" and returns the answer and its whole body.
func (r *Running) Do(method, path string, head ...string) (*http.Response, string) {
	r.T.Helper()
	req, err := http.NewRequest(method, r.URL+path, nil)
	if err != nil {
		r.T.Fatal(err)
	}
	for _, line := range head {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	resp, err := r.Client.Do(req)
	if err != nil {
		r.T.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.T.Fatalf("%s %s: body: %v", method, path, err)
	}
	return resp, string(body)
}

// Talk is a connection on which a test says exactly what it means.
type Talk struct {
	T    *testing.T
	Conn net.Conn
	R    *bufio.Reader
}

// NewTalk returns a talk on nc.
func NewTalk(t *testing.T, nc net.Conn) *Talk { return &Talk{t, nc, bufio.NewReader(nc)} }

// Dial opens a connection to the server, over TLS if it serves that.
func (r *Running) Dial() *Talk {
	r.T.Helper()
	nc, err := net.Dial("tcp", r.Addr)
	if err == nil && strings.HasPrefix(r.URL, "https") {
		nc = tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
	}
	if err != nil {
		r.T.Fatal(err)
	}
	nc.SetDeadline(time.Now().Add(Patience))
	r.T.Cleanup(func() { nc.Close() })
	return NewTalk(r.T, nc)
}

// Say writes s.
func (k *Talk) Say(s string) {
	k.T.Helper()
	if _, err := io.WriteString(k.Conn, s); err != nil {
		k.T.Fatal(err)
	}
}

// Hear reads an answer to a request with this method, and its whole body.
func (k *Talk) Hear(method string) (*http.Response, string) {
	k.T.Helper()
	resp, err := http.ReadResponse(k.R, &http.Request{Method: method})
	if err != nil {
		k.T.Fatalf("no answer: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		k.T.Fatalf("body: %v after %d bytes", err, len(body))
	}
	return resp, string(body)
}

// WantEnd wants the server to close the connection without another byte.
func (k *Talk) WantEnd() {
	k.T.Helper()
	if rest, err := io.ReadAll(k.R); err != nil || len(rest) > 0 {
		k.T.Errorf("got %q, %v; want the end of the connection", rest, err)
	}
}

// Buffer is a bytes.Buffer for several goroutines.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Stream opens WebSocket on a stream of HTTP/2.
func (r *Running) Stream(client http.RoundTripper, path string) *Talk {
	r.T.Helper()
	in, out := io.Pipe()
	req, err := http.NewRequest("CONNECT", r.URL+path, in)
	if err != nil {
		r.T.Fatal(err)
	}
	req.Header[":protocol"] = []string{"websocket"}
	req.Header.Set("Sec-WebSocket-Version", "13")
	resp, err := client.RoundTrip(req)
	if err != nil || resp.StatusCode != 200 {
		r.T.Fatalf("CONNECT: %v, %v", resp, err)
	}
	r.T.Cleanup(func() { out.Close(); resp.Body.Close() })
	return &Talk{r.T, tunnel{Writer: out}, bufio.NewReader(resp.Body)}
}

// tunnel is a stream that a test writes to as to a connection.
type tunnel struct {
	net.Conn
	io.Writer
}

func (t tunnel) Write(p []byte) (int, error) { return t.Writer.Write(p) }
