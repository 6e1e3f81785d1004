package websocket

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// ends returns a server's Conn and a client's that have agreed on params.
func ends(t *testing.T, params string) (server, client *Conn) {
	t.Helper()
	s := Config{Compression: ContextTakeover, CompressionThreshold: -1}.settings()
	p, err := permessage.Agree([]string{params}, permessage.Offers(permessage.Takeover, s.shake.Memory))
	if err != nil {
		t.Fatal(err)
	}
	a, b := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	server, err1 := s.open(&opened{role: wsframe.Server, nc: a, agreed: handshake.Agreement{Deflate: p}}, nil)
	client, err2 := s.open(&opened{role: wsframe.Client, nc: b, agreed: handshake.Agreement{Deflate: p}}, nil)
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

// What one end compresses the other decompresses, with all parameters.
func TestBothEnds(t *testing.T) {
	for _, params := range []string{
		"", "; server_no_context_takeover", "; client_no_context_takeover", "; server_no_context_takeover; client_no_context_takeover",
		"; server_max_window_bits=8; client_max_window_bits=9", "; server_max_window_bits=8; server_no_context_takeover",
		"; client_max_window_bits=10; client_no_context_takeover; server_max_window_bits=15",
	} {
		t.Run(params, func(t *testing.T) {
			server, client := ends(t, permessage.Name+params)
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

// Dial and Accept agree on compression.
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
					t.Fatalf("%d, %d: got %d bytes, %v", client, server, len(p), err)
				}
			}
			c.Close(CloseNormal, "")
		}
		s.Close()
	}
}

// A prepared message is not sent compressed to a peer whose window it may not fit.
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
		server, client := ends(t, permessage.Name+c.params)
		for _, m := range []struct {
			*PreparedMessage
			smaller bool
		}{{short, c.shortSmaller}, {long, c.longSmall}} {
			if smaller := len(m.frameFor(&server.send).Bytes()) < len(m.payload()); smaller != m.smaller {
				t.Errorf("%q: %d bytes compressed: got %v, want %v", c.params, len(m.payload()), smaller, m.smaller)
			}
			if err := server.SendPrepared(m.PreparedMessage); err != nil {
				t.Fatal(err)
			}
			if _, got, err := client.ReadMessage(); err != nil || string(got) != string(m.payload()) {
				t.Errorf("%q: got %q, %v", c.params, got, err)
			}
		}
	}
}
