package wsload

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// serve serves as a peer until the test ends, and returns its address.
func serve(t *testing.T, name string) string {
	t.Helper()
	l, err := wspeer.Listen(name, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go wspeer.Serve(name, l)
	return l.Addr().String()
}

func options(addr string) Options {
	return Options{Addr: addr, PID: os.Getpid(), Conns: 10, Warmup: time.Millisecond, Duration: 50 * time.Millisecond}
}

// A broadcast reaches every connection, with every peer.
func TestBroadcastsReachAll(t *testing.T) {
	for _, name := range wspeer.All {
		a, err := Broadcast(wspeer.PathRoom, options(serve(t, name)))
		if err != nil || a.Requests < 10 || a.Requests%10 != 0 || a.Latency.P50 <= 0 {
			t.Errorf("%s: got %+v, %v", name, a, err)
		}
	}
}

// Compressed messages are echoed by every peer that compresses.
func TestCompressedMessagesComeBack(t *testing.T) {
	for _, name := range wspeer.All {
		if name == wspeer.Gobwas {
			continue
		}
		opt := options(serve(t, name))
		a, err := Deflate(wspeer.PathDeflate, opt)
		for err == nil && a.Requests == 0 && opt.Duration < 10*time.Second { // on a busy machine nobody had a turn
			opt.Duration *= 4
			a, err = Deflate(wspeer.PathDeflate, opt)
		}
		if err != nil || a.Requests == 0 || a.Elapsed < 0.05 {
			t.Errorf("%s: got %+v, %v", name, a, err)
		}
	}
}

// The error of a refused handshake gives the reason.
func TestHandshakesThatAreRefused(t *testing.T) {
	addr := serve(t, wspeer.Callbacks)
	if _, err := Dial(addr, "/else", false); err == nil || !strings.Contains(err.Error(), "the status is 404") {
		t.Errorf("a path that nobody serves: %v", err)
	}
	if _, err := Dial(addr, wspeer.PathEcho, true); err == nil || !strings.Contains(err.Error(), `it chose ""`) {
		t.Errorf("a server that does not compress: %v", err)
	}
	if _, err := Open(addr, "/else", 3, false); err == nil || !strings.Contains(err.Error(), "connection 0") {
		t.Errorf("connections that cannot be held: %v", err)
	}
}

// replying is a server that accepts every handshake and then sends the bytes of back.
func replying(t *testing.T, back string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		br := bufio.NewReader(nc)
		if _, err := http.ReadRequest(br); err != nil {
			return
		}
		nc.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n"))
		br.ReadByte() // of a message
		for i := range len(back) {
			nc.Write([]byte(back[i : i+1]))
		}
	}()
	return l.Addr().String()
}

// An echo with other bytes, another type or an unexpected frame is an error.
func TestWrongEchoesAreFound(t *testing.T) {
	for back, want := range map[string]string{
		"\x81\x03abc": "",
		"\x81\x03abd": "differs from the message",
		"\x81\x02ab":  "differs from the message",
		"\x82\x03abc": "want text",
		"\x01\x03abc": "want text",
		"\xc1\x03abc": "RSV1",
		"\x81\x03ab":  "EOF",
	} {
		c, err := Dial(replying(t, back), "/", false)
		if err != nil {
			t.Fatal(err)
		}
		err = c.Exchange(Text(3))
		c.Close()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", back, err, want)
		}
	}
}

// A frame of the load is whole and masked, as a client must send it.
func TestFramesAreAClients(t *testing.T) {
	h, n, err := wsframe.Parse(Text(64).frame)
	if err != nil || !h.Masked || h.Length != 64 || n != 6 || !h.Fin() || h.Opcode() != wsframe.Text {
		t.Errorf("the frame is %+v, %d, %v", h, n, err)
	}
}
