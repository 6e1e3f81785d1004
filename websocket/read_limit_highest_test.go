package websocket

import (
	"io"
	"math"
	"testing"
)

// The highest read limit lets compressed messages through, as no limit does.
func TestHighestReadLimit(t *testing.T) {
	for _, limit := range []int64{-1, math.MaxInt64} {
		cfg := Config{ReadLimit: limit, Compression: ContextTakeover}
		client, server := Pipe(cfg, cfg)
		for range 3 {
			if err := client.WriteMessage(TextMessage, []byte(letters(10_000))); err != nil {
				t.Fatal(err)
			}
			if _, p, err := server.ReadMessage(); err != nil || string(p) != letters(10_000) {
				t.Fatalf("limit %d: got %d bytes, %v", limit, len(p), err)
			}
		}
		w, err := client.NextWriter(BinaryMessage)
		if err == nil {
			io.WriteString(w, letters(100_000))
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, p, err := server.ReadMessage(); err != nil || string(p) != letters(100_000) {
			t.Fatalf("limit %d, fragments: got %d bytes, %v", limit, len(p), err)
		}
		client.CloseNow()
		server.CloseNow()
	}
}
