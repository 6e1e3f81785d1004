package httpclient_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// cutter cuts connections at a random byte of either direction.
type cutter struct {
	net.Conn
	left atomic.Int64
}

func (c *cutter) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.count(n, err)
}

func (c *cutter) Write(p []byte) (int, error) {
	if left := c.left.Load(); left < int64(len(p)) {
		c.Conn.Write(p[:max(left, 0)])
		c.cut()
		return 0, net.ErrClosed
	}
	n, err := c.Conn.Write(p)
	return n, c.count(n, err)
}

func (c *cutter) count(n int, err error) error {
	if c.left.Add(-int64(n)) <= 0 {
		c.cut()
		return net.ErrClosed
	}
	return err
}

func (c *cutter) cut() {
	if nc, ok := c.Conn.(*net.TCPConn); ok && rand.IntN(2) == 0 {
		nc.SetLinger(0)
	}
	c.Conn.Close()
}

type cutting struct{ net.Listener }

func (l cutting) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &cutter{Conn: nc}
	c.left.Store(rand.Int64N(20_000) + 1)
	return c, nil
}

// ledger is what servers saw: how often each request that may be seen once only was.
type ledger struct {
	mu   sync.Mutex
	seen map[string]int
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == "POST" {
		l.mu.Lock()
		l.seen[r.URL.Path]++
		l.mu.Unlock()
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if len(body) > 0 && string(body) != bodyOf(r.URL.Path) {
		w.WriteHeader(400)
		return
	}
	w.Header().Set("X-Nonce", r.URL.Path)
	if rand.IntN(2) == 0 {
		fmt.Fprint(w, bodyOf(r.URL.Path))
		return
	}
	for s := bodyOf(r.URL.Path); len(s) > 0; { // in chunks
		n := min(len(s), 1+rand.IntN(2000))
		io.WriteString(w, s[:n])
		s = s[n:]
		if rand.IntN(3) == 0 {
			w.(http.Flusher).Flush()
		}
	}
}

// bodyOf is the body that belongs to a path, in both directions.
func bodyOf(path string) string { return strings.Repeat(path+" ", 1+len(path)*37%300) }

// Over connections that are cut anywhere, each response belongs to its request, nothing unsafe is sent twice, and
// nothing hangs or is left over.
func TestStorm(t *testing.T) {
	httptest.NewServer(nil).Close() // the runtime keeps a poller from the first socket on
	files := openFiles(t)
	for _, version := range []string{"http1", "h2c"} {
		t.Run(version, func(t *testing.T) { storm(t, version) })
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for end := time.Now().Add(patience); len(openFiles(t)) > len(files); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("descriptors of %q, at the start of %q", openFiles(t), files)
		}
	}
}

func storm(t *testing.T, version string) {
	book := &ledger{seen: map[string]int{}}
	var keys []httpclient.Key
	addrs := map[string]string{}
	for i := range 3 {
		srv := httptest.NewUnstartedServer(book)
		srv.Config.ErrorLog = quiet
		srv.Listener = cutting{srv.Listener}
		key := httpclient.Key{Host: fmt.Sprint("h", i)}
		if version == "h2c" {
			srv.Config.Protocols = new(http.Protocols)
			srv.Config.Protocols.SetUnencryptedHTTP2(true)
			key.Version = httpclient.HTTP2
		}
		srv.Start()
		defer srv.Close()
		keys, addrs[key.Host] = append(keys, key), srv.Listener.Addr().String()
	}
	cl := httpclient.New(httpclient.Config{
		MaxConns: 6, MaxConnsPerHost: 3, MaxIdle: 2, IdleTimeout: 100 * time.Millisecond, MaxLifetime: time.Second,
		Open: func(ctx context.Context, key httpclient.Key) (httpclient.Opened, error) {
			var d net.Dialer
			nc, err := d.DialContext(ctx, "tcp", addrs[key.Host])
			return httpclient.Opened{Conn: nc, HTTP2: key.Version == httpclient.HTTP2}, err
		},
	})
	stop := make(chan bool)
	var idler sync.WaitGroup
	idler.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(7 * time.Millisecond):
				cl.CloseIdle()
			}
		}
	})
	n := 1500
	if many, err := strconv.Atoi(os.Getenv("SHOCKWAVE_STORM")); err == nil { // see scripts/storm
		n = many
	}
	var good, bad atomic.Int64
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range n / 16 {
				if stormOne(t, cl, keys[rand.IntN(3)], fmt.Sprintf("/%s/%d/%d", version, g, i)) {
					good.Add(1)
				} else {
					bad.Add(1)
				}
			}
		})
	}
	all := make(chan bool)
	go func() { wg.Wait(); close(all) }()
	select {
	case <-all:
	case <-time.After(60*time.Second + time.Duration(n)*10*time.Millisecond):
		buf := make([]byte, 1<<20)
		t.Fatalf("requests hang: %+v\n%s", cl.Stats(), buf[:runtime.Stack(buf, true)])
	}
	close(stop)
	idler.Wait()
	cl.Close()
	wiretest.Eventually(t, "all connections to be accounted for", func() bool { s := cl.Stats(); return s.Open == 0 && s.Idle == 0 })
	book.mu.Lock()
	defer book.mu.Unlock()
	for path, n := range book.seen {
		if n > 1 {
			t.Errorf("%s was sent %d times", path, n)
		}
	}
	t.Logf("%d good, %d bad, %+v", good.Load(), bad.Load(), cl.Stats())
	if good.Load() < bad.Load()/4 {
		t.Error("hardly any request got a response")
	}
}

// stormOne sends a request and reports whether all of it went well.
func stormOne(t *testing.T, cl *httpclient.Client, key httpclient.Key, path string) bool {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if rand.IntN(5) == 0 {
		time.AfterFunc(rand.N(3*time.Millisecond), cancel)
	}
	k := &httpclient.Call{Key: key, Method: "GET", Head: ask("GET", path, ""), Replayable: true}
	body := bodyOf(path)
	switch rand.IntN(3) {
	case 0: // streamed
		k.Method, k.Replayable, k.Length = "POST", false, -1
		k.Head = ask("POST", path, "Transfer-Encoding: chunked\r\n")
		k.Rewind = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }
		k.Body, _ = k.Rewind()
	case 1:
		k.Method, k.Replayable, k.Length, k.Bytes = "POST", false, int64(len(body)), []byte(body)
		k.Head = ask("POST", path, fmt.Sprintf("Content-Length: %d\r\n", len(body)))
	}
	k.Close = rand.IntN(10) == 0
	var r httpclient.Response
	if rand.IntN(10) == 0 {
		time.AfterFunc(rand.N(3*time.Millisecond), func() { r.Cancel(context.Canceled) })
	}
	if err := cl.Do(ctx, k, &r); err != nil {
		return false
	}
	if rand.IntN(6) == 0 {
		go r.Close()
	}
	if rand.IntN(6) == 0 {
		r.Close()
		return true
	}
	if r.Status != 200 {
		r.Close()
		return false
	}
	nonce := r.Header().GetString("X-Nonce")
	got, err := io.ReadAll(&r)
	r.Close()
	if nonce != path && err == nil {
		t.Errorf("asked for %s, got the head of %s", path, nonce)
	}
	if !strings.HasPrefix(body, string(got)) || err == nil && body != string(got) {
		t.Errorf("%s: a body of %d bytes, %.50q, %v; want %d", path, len(got), got, err, len(body))
	}
	return err == nil
}

// openFiles returns what this process's descriptors are of.
func openFiles(t testing.TB) (files []string) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("descriptors cannot be counted here")
	}
	for _, e := range entries {
		file, _ := os.Readlink("/proc/self/fd/" + e.Name())
		files = append(files, file)
	}
	return files
}

// quiet is a log that drops everything.
var quiet = log.New(io.Discard, "", 0)
