package websocket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// swap makes each end send a frame and read the other's.
func swap(t *testing.T, client, server *Raw) {
	t.Helper()
	for _, way := range []struct{ from, to *Raw }{{client, server}, {server, client}} {
		frame := []byte("\x82\x02hi")
		if way.from.Role == ClientRole {
			frame = []byte("\x82\x82\x00\x00\x00\x00hi")
		}
		if _, err := way.from.Write(frame); err != nil {
			t.Fatal(err)
		}
		f, n, err := NewFrameReader(way.to, way.to.Role, 0).ReadFrameInto(make([]byte, 10))
		if err != nil || n != 2 || string(f.Payload) != "hi" {
			t.Errorf("%v read %d, %v", way.to.Role, n, err)
		}
	}
}

// Both ends of a Raw have the connection as the handshake has left it.
func TestRaw(t *testing.T) {
	cfg := Config{Subprotocols: []string{"b"}, Compression: ContextTakeover}
	servers := make(chan *Raw, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := AcceptRaw(w, r, cfg, nil)
		if _, refused := errors.AsType[*HandshakeError](err); err != nil && !refused {
			t.Error(err)
		}
		servers <- raw
	}))
	defer s.Close()
	client, resp, err := DialRaw(context.Background(), "ws"+strings.TrimPrefix(s.URL, "http"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server := <-servers
	defer server.Close()
	if client.Role != ClientRole || server.Role != ServerRole || client.Subprotocol != "b" || server.Subprotocol != "b" {
		t.Errorf(`got %v, %q, %v, %q; want %v, %v, "b", "b"`, client.Role, client.Subprotocol, server.Role, server.Subprotocol, ClientRole, ServerRole)
	}
	if e := resp.Header.Get("Sec-WebSocket-Extensions"); e != "" || len(client.Ahead)+len(server.Ahead) > 0 {
		t.Errorf("extensions %q, ahead %q %q", e, client.Ahead, server.Ahead)
	}
	swap(t, client, server)
	if _, _, err := DialRaw(context.Background(), s.URL, Config{Header: http.Header{"Origin": {"http://elsewhere"}}}); !errors.As(err, new(*HandshakeError)) {
		t.Errorf("a foreign origin: %v", err)
	}
	if raw := <-servers; raw != nil {
		t.Error("got the connection of a refused client")
	}
}

// Bytes after the handshake are in Ahead, and later bytes do not change them.
func TestUpgradeConnRaw(t *testing.T) {
	const hello = "GET /a HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x82\x80early"
	for cut := 0; cut <= len(hello); cut += 7 {
		upgradeRaw(t, hello[:cut], hello[cut:])
	}
	upgradeRaw(t, hello, "")
	upgradeRaw(t, hello+strings.Repeat("x", 10_000), "")
}

// upgradeRaw upgrades a connection from which a part of the input has been read.
func upgradeRaw(t *testing.T, before, after string) {
	t.Helper()
	ahead := []byte(before)
	near, far := net.Pipe()
	defer near.Close()
	go fmt.Fprint(near, after)
	response := make(chan string, 1)
	go func() {
		r, err := http.ReadResponse(bufio.NewReader(near), nil)
		if err != nil {
			response <- err.Error()
			return
		}
		response <- r.Status
	}()
	raw, err := UpgradeConnRaw(context.Background(), far, ahead, Config{}, func(r *http.Request) error {
		if r.URL.Path != "/a" {
			t.Errorf("path %q", r.URL.Path)
		}
		return nil
	})
	if got := <-response; err != nil || got != "101 Switching Protocols" {
		t.Fatalf("%v; response %q", err, got)
	}
	defer raw.Close()
	clear(ahead)
	want := (before + after)[strings.Index(before+after, "\x82"):]
	rest := make([]byte, len(want)-len(raw.Ahead))
	if _, err := io.ReadFull(raw, rest); err != nil {
		t.Error(err)
	}
	if string(raw.Ahead)+string(rest) != want || raw.Role != ServerRole {
		t.Errorf("ahead %q, role %v", raw.Ahead, raw.Role)
	}
}

// unwritable is a connection on which nothing can be sent.
type unwritable struct {
	net.Conn
	closed bool
}

func (u *unwritable) Write([]byte) (int, error) { return 0, errMishap }
func (u *unwritable) Close() error              { u.closed = true; return u.Conn.Close() }

// hijackWriter is the response to a request whose connection is given away.
type hijackWriter struct {
	http.ResponseWriter
	nc net.Conn
}

func (h *hijackWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.nc, bufio.NewReadWriter(bufio.NewReader(h.nc), bufio.NewWriter(h.nc)), nil
}

// AcceptRaw closes the connection if the response cannot be sent.
func TestRawAnswerThatCannotBeSent(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	u := &unwritable{Conn: near}
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(upgradeGet + "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := AcceptRaw(&hijackWriter{httptest.NewRecorder(), u}, r, Config{}, nil)
	if raw != nil || !errors.Is(err, errMishap) || !u.closed {
		t.Errorf("%v, %v, closed %v", raw, err, u.closed)
	}
}
