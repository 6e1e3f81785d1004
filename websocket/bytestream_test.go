package websocket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// streams are both ends of a stream.
func streams(t *testing.T, cfg Config) (client, server net.Conn) {
	t.Helper()
	c, s := Pipe(cfg, cfg)
	client, server = Stream(t.Context(), c, BinaryMessage), Stream(t.Context(), s, BinaryMessage)
	t.Cleanup(func() {
		c.CloseNow()
		s.CloseNow()
	})
	return client, server
}

// The bytes of a Stream come through in order, whatever messages they came in.
func TestByteStream(t *testing.T) {
	for _, compression := range []Compression{NoCompression, ContextTakeover} {
		client, server := streams(t, Config{Compression: compression})
		want := []byte(letters(300_000))
		go func() {
			for p := want; len(p) > 0; {
				n, err := client.Write(p[:min(len(p), len(p)/3+1)])
				if err != nil {
					t.Error(err)
					return
				}
				p = p[n:]
			}
			if n, err := client.Write(nil); n != 0 || err != nil {
				t.Errorf("nothing: got %d, %v; want 0", n, err)
			}
			if err := client.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}()
		got, err := io.ReadAll(iotest.OneByteReader(io.LimitReader(server, 1000)))
		if err == nil {
			var rest []byte
			rest, err = io.ReadAll(server)
			got = append(got, rest...)
		}
		if !bytes.Equal(got, want) || err != nil {
			t.Fatalf("got %d bytes, %v", len(got), err)
		}
		if err := server.Close(); err != nil {
			t.Errorf("Close of the other end: %v", err)
		}
		if err := server.Close(); err != ErrClosed {
			t.Errorf("the second Close: got %v, want %v", err, ErrClosed)
		}
	}
}

// A message of a Stream may have any length.
func TestByteStreamLongMessages(t *testing.T) {
	client, server := streams(t, Config{ReadLimit: 1000})
	go client.Write(make([]byte, 100_000))
	if n, err := io.ReadFull(server, make([]byte, 100_000)); err != nil {
		t.Errorf("got %d bytes, %v", n, err)
	}
}

// Reads and writes of a Stream go on after a deadline.
func TestByteStreamDeadlines(t *testing.T) {
	client, server := streams(t, Config{})
	client.SetDeadline(time.Unix(1, 0))
	for range 2 {
		if n, err := client.Write([]byte("x")); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("Write: got %d, %v", n, err)
		}
		if n, err := client.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("Read: got %d, %v", n, err)
		}
	}
	client.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := client.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	client.SetDeadline(time.Time{})
	if _, err := client.Write([]byte("there")); err != nil {
		t.Fatal(err)
	}
	there := make([]byte, 5)
	if _, err := io.ReadFull(server, there); err != nil || string(there) != "there" {
		t.Fatalf(`got %q, %v; want "there"`, there, err)
	}
	if _, err := server.Write([]byte("back")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(client, there[:4]); err != nil || string(there[:4]) != "back" {
		t.Fatalf(`got %q, %v; want "back"`, there[:4], err)
	}
}

// Reads of a Stream report each end, again and again.
func TestByteStreamEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(c *Conn)
		want error
	}{
		"closed":          {func(c *Conn) { c.Close(CloseNormal, "") }, io.EOF},
		"gone away":       {func(c *Conn) { c.Close(CloseGoingAway, "") }, io.EOF},
		"failed":          {func(c *Conn) { c.Close(CloseInternalError, "") }, &CloseError{Code: CloseInternalError}},
		"cut off":         {func(c *Conn) { c.CloseNow() }, io.ErrUnexpectedEOF},
		"of another type": {func(c *Conn) { c.WriteMessage(TextMessage, []byte("x")); c.ReadMessage() }, nil},
	} {
		c, s := Pipe(Config{}, Config{})
		server := Stream(t.Context(), s, BinaryMessage)
		go tc.end(c)
		for range 2 {
			n, err := server.Read(make([]byte, 1))
			var got, want *CloseError
			switch {
			case errors.As(tc.want, &want):
				if !errors.As(err, &got) || *got != *want {
					t.Errorf("%s: %v", name, err)
				}
			case n != 0 || err == nil || tc.want != nil && !errors.Is(err, tc.want):
				t.Errorf("%s: got %d, %v", name, n, err)
			}
		}
		within(t, name, c.Done())
		if name == "of another type" {
			if _, err := server.Read(make([]byte, 1)); CloseStatus(c.Err()) != CloseUnsupportedData || !strings.Contains(err.Error(), "text message") {
				t.Errorf("%s: the peer is told %v, we %v", name, c.Err(), err)
			}
		}
		server.Close()
	}
}

// After CloseWrite, reads of a Stream do not end with io.EOF.
func TestByteStreamCloseWrite(t *testing.T) {
	c, s := Pipe(Config{}, Config{})
	server := Stream(t.Context(), s, BinaryMessage)
	if err := s.CloseWrite(CloseNormal, ""); err != nil {
		t.Fatal(err)
	}
	go c.ReadMessage()
	if _, err := server.Read(make([]byte, 1)); err != ErrClosed {
		t.Errorf("ended with %v", err)
	}
}

// The end of a Stream's context ends the connection.
func TestByteStreamContext(t *testing.T) {
	c, s := Pipe(Config{}, Config{})
	defer s.CloseNow()
	ctx, cancel := context.WithCancel(t.Context())
	client := Stream(ctx, c, BinaryMessage)
	cancel()
	if _, err := client.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Read: %v", err)
	}
	if _, err := client.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Write: %v", err)
	}
}
