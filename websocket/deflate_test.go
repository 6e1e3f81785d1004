package websocket

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/deflate"
	"github.com/shockwave-go/shockwave/internal/wiretest"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

const hello = "\xf2\x48\xcd\xc9\xc9\x07\x00" // RFC 7692 §7.2.3.1

func TestCompressedMessages(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.echo(t, Config{Compression: ContextTakeover})
		r.peer.Send(frame(0xC1, hello))
		r.peer.Want(bare(0x81, "Hello"))
		r.peer.Send(frame(0xC1, "\xf2\x00\x11\x00\x00")) // §7.2.3.2: what came before
		r.peer.Want(bare(0x81, "Hello"))
		r.peer.Send(frame(0x41, hello[:3]) + frame(0x00, "") + frame(0x89, "p") + frame(0x80, hello[3:]))
		r.peer.Want(bare(0x8A, "p") + bare(0x81, "Hello"))
		r.peer.Send(frame(0xC2, "\x00")) // §7.2.3.6
		r.peer.Want(bare(0x82, ""))
		r.peer.Send(text("plain")) // §6: RSV1 tells
		r.peer.Want(bare(0x81, "plain"))
	})
}

func TestCompressedMessagesThatAreRefused(t *testing.T) {
	bomb, err := compressAlone(make([]byte, 5000))
	if err != nil {
		t.Fatal(err)
	}
	latin, _ := compressAlone([]byte("Espa\xf1a"))
	for _, c := range []struct {
		name string
		with Compression
		sent string
		code CloseCode
		err  error
	}{
		{"not negotiated", NoCompression, frame(0xC1, hello), CloseProtocolError, nil},
		{"corrupt", NoContextTakeover, frame(0xC1, hello[:5]), CloseInvalidPayload, errInflate},
		{"without takeover", NoContextTakeover, frame(0xC1, hello) + frame(0xC1, "\xf2\x00\x11\x00\x00"), CloseInvalidPayload, errInflate},
		{"a bomb", NoContextTakeover, frame(0xC2, string(bomb)), CloseMessageTooBig, ErrTooBig},
		{"a bomb with a context", ContextTakeover, frame(0xC2, string(bomb)), CloseMessageTooBig, ErrTooBig},
		{"not UTF-8", NoContextTakeover, frame(0xC1, string(latin)), CloseInvalidPayload, errText},
		{"compressed ping", NoContextTakeover, frame(0xC9, hello), CloseProtocolError, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEvery(t, func(t *testing.T, f face) {
				r := f.serve(t, Config{Compression: c.with, ReadLimit: 4999}, func(*Conn, MessageType, []byte) error { return nil })
				r.peer.Send(c.sent)
				r.wantClose(c.code)
				if err := r.wantEnd(); c.err != nil && !errors.Is(err, c.err) {
					t.Errorf("ended with %v, want %v", err, c.err)
				}
			})
		})
	}
}

// ends returns a server's Conn and a client's which have agreed on params.
func ends(t *testing.T, params string) (server, client *Conn) {
	t.Helper()
	p, err := agreeDeflate([]string{params}, offerDeflate(ContextTakeover))
	if err != nil {
		t.Fatal(err)
	}
	a, b := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	s := Config{Compression: ContextTakeover, CompressionThreshold: -1}.settings()
	server, err1 := s.open(wsframe.Server, a, nil, &accepted{deflate: p}, nil)
	client, err2 := s.open(wsframe.Client, b, nil, &accepted{deflate: p}, nil)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	t.Cleanup(func() {
		client.CloseNow()
		server.CloseNow()
		within(t, "the client to end", client.Done())
		within(t, "the server to end", server.Done())
	})
	return server, client
}

// Both ends are ours: what one compresses the other reads, in every mode.
func TestBothEnds(t *testing.T) {
	for _, params := range []string{
		"", "; server_no_context_takeover", "; client_no_context_takeover", "; server_no_context_takeover; client_no_context_takeover",
		"; server_max_window_bits=8; client_max_window_bits=9", "; server_max_window_bits=8; server_no_context_takeover",
		"; client_max_window_bits=10; client_no_context_takeover; server_max_window_bits=15",
	} {
		t.Run(params, func(t *testing.T) {
			server, client := ends(t, permessageDeflate+params)
			for i, n := range []int{0, 1, 100, 511, 3000, 3000, 70_000, 0, 12} {
				p := fmt.Appendf(nil, "%d %s", i, letters(n))
				for _, way := range [][2]*Conn{{server, client}, {client, server}} {
					wrote := make(chan error, 1)
					go func() { wrote <- way[0].WriteMessage(TextMessage, p) }()
					if typ, got, err := way[1].ReadMessage(); err != nil || typ != TextMessage || string(got) != string(p) {
						t.Fatalf("message %d: %d bytes of %d, %v", i, len(got), len(p), err)
					}
					if err := <-wrote; err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// What does not become shorter goes as it is, unless the peer needs it for what follows.
func TestMessagesThatDoNotCompress(t *testing.T) {
	plain := make([]byte, 600)
	for i := range plain {
		plain[i] = byte(i * i * 7919 >> 5)
	}
	r := faces[2].open(t, Config{Compression: NoContextTakeover})
	go r.c.WriteMessage(BinaryMessage, plain)
	r.peer.Want(bare(0x82, string(plain)))
	go r.c.Send(BinaryMessage, plain)
	r.peer.Want(bare(0x82, string(plain)))
	r = faces[2].open(t, Config{Compression: ContextTakeover})
	go r.c.WriteMessage(BinaryMessage, plain)
	if head := r.peer.WantN(1); head != "\xC2" {
		t.Errorf("with takeover the frame begins with %x", head)
	}
}

// From an offer to a message, through net/http.
func TestCompressionIsAgreedOn(t *testing.T) {
	k := acceptServer(t, Config{Compression: ContextTakeover})()
	k.Send(opens("Sec-WebSocket-Extensions: foo", "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=12") + frame(0xC1, hello))
	const want = "\r\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=12\r\n"
	if head := k.WantUntil("\r\n\r\n"); !strings.Contains(head, want) {
		t.Errorf("the answer has no %q:\n%s", want, head)
	}
	k.Want(bare(0x81, "Hello"))
	k = acceptServer(t, Config{})()
	k.Send(opens("Sec-WebSocket-Extensions: permessage-deflate;"))
	k.WantUntil("HTTP/1.1 400 ")
}

// What Dial offers Accept takes, and the other way round.
func TestDialedCompression(t *testing.T) {
	for server := NoCompression; server <= ContextTakeover; server++ {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, err := Accept(w, r, Config{Compression: server})
			if err != nil {
				t.Error(err)
				return
			}
			for m, err := range c.Messages() {
				if err != nil || c.WriteMessage(m.Type, m.Data) != nil {
					break
				}
			}
			c.CloseNow()
		}))
		for client := NoCompression; client <= ContextTakeover; client++ {
			c, _, err := Dial(soon(t), "ws"+strings.TrimPrefix(s.URL, "http"), Config{Compression: client})
			if err != nil {
				t.Fatalf("%d, %d: %v", client, server, err)
			}
			if want := client != NoCompression && server != NoCompression; c.Compressed() != want {
				t.Errorf("%d, %d: compressed %v", client, server, c.Compressed())
			}
			for range 3 {
				if err := c.WriteMessage(TextMessage, []byte(letters(3000))); err != nil {
					t.Fatal(err)
				}
				if _, p, err := c.ReadMessage(); err != nil || string(p) != letters(3000) {
					t.Fatalf("%d, %d: %d bytes, %v", client, server, len(p), err)
				}
			}
			c.Close(CloseNormal, "")
		}
		s.Close()
	}
}

// A message that was compressed for everybody does not go to a peer whose window it may not fit.
func TestPreparedMessagesAndWindows(t *testing.T) {
	short, long := Prepare(TextMessage, []byte(strings.Repeat("ab", 128))), Prepare(TextMessage, []byte(strings.Repeat("ab", 129)))
	for _, c := range []struct {
		params                  string
		shortSmaller, longSmall bool
	}{
		{"; server_no_context_takeover", true, true},
		{"; server_no_context_takeover; server_max_window_bits=8", true, false},
		{"; server_max_window_bits=15", false, false},
	} {
		server, client := ends(t, permessageDeflate+c.params)
		for _, m := range []struct {
			*PreparedMessage
			smaller bool
		}{{short, c.shortSmaller}, {long, c.longSmall}} {
			if smaller := len(m.frameFor(server)) < len(m.payload()); smaller != m.smaller {
				t.Errorf("%q: %d bytes compressed: %v", c.params, len(m.payload()), smaller)
			}
			if err := server.SendPrepared(m.PreparedMessage); err != nil {
				t.Fatal(err)
			}
			if _, got, err := client.ReadMessage(); err != nil || string(got) != string(m.payload()) {
				t.Errorf("%q: %q, %v", c.params, got, err)
			}
		}
	}
}

func TestTakeoverMemory(t *testing.T) {
	out := int64(deflate.CompressorSize(deflate.MaxBits))
	both := out + int64(deflate.DecompressorSize(deflate.MaxBits))
	for end := time.Now().Add(patience); TakeoverMemory() != 0; runtime.Gosched() { // connections of other tests are ending
		if time.Now().After(end) {
			t.Fatalf("%d bytes are taken by nobody", TakeoverMemory())
		}
	}
	withMemory(t, both+out)
	r := faces[2].open(t, Config{Compression: ContextTakeover})
	if r.c.compress.independent() || TakeoverMemory() != both {
		t.Errorf("the first connection takes %d bytes", TakeoverMemory())
	}
	if got := says(ContextTakeover, permessageDeflate); got != "; client_no_context_takeover" {
		t.Errorf("with memory for a compressor: %q", got)
	}
	second := faces[2].open(t, Config{Compression: ContextTakeover})
	if second.c.compress.independent() || TakeoverMemory() != both+out {
		t.Errorf("both take %d bytes", TakeoverMemory())
	}
	if got := says(ContextTakeover, permessageDeflate); got != "; server_no_context_takeover; client_no_context_takeover" {
		t.Errorf("with no memory: %q", got)
	}
	for _, c := range []*Conn{r.c, second.c} {
		c.CloseNow()
		within(t, "the connection to end", c.Done())
	}
	if TakeoverMemory() != 0 {
		t.Errorf("%d bytes are still taken", TakeoverMemory())
	}
}

// Without takeover a connection has only this for compression, whatever it has sent and received.
func TestMemoryWithoutTakeover(t *testing.T) {
	if n := unsafe.Sizeof(deflater{}) + unsafe.Sizeof(inflater{}); n > 256 {
		t.Errorf("%d bytes", n)
	}
	if raceEnabled {
		t.Skip("the race detector's pools forget on purpose")
	}
	d, i := newDeflater(deflateSide{fresh: true}), newInflater(deflateSide{fresh: true})
	plain := []byte(letters(1000))
	if n := testing.AllocsPerRun(200, func() {
		p, err := d.message(plain)
		got, err2 := i.message(p, 1<<20)
		if err != nil || err2 != nil || len(got) != len(plain) {
			t.Error(err, err2, len(got))
		}
		bufpool.Put(p)
		bufpool.Put(got)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
