package wire

import (
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/websocket"
)

// WebSocket messages of many sizes, whole, in fragments and compressed, come back in order and whole.
func TestMessages(t *testing.T) {
	onEveryFace(t, func(t *testing.T, s *site) {
		var all sync.WaitGroup
		defer all.Wait()
		for n, how := range []struct {
			reads       string // how the server reads
			callbacks   bool   // whether the client does so by callbacks
			compression websocket.Compression
		}{
			{"messages", false, websocket.NoCompression},
			{"callbacks", true, websocket.NoContextTakeover},
			{"streams", false, websocket.ContextTakeover},
			{"callbacks", false, websocket.ContextTakeover},
			{"messages", true, websocket.NoContextTakeover},
		} {
			all.Go(func() {
				talk := &talk{sent: messages(uint64(n), n%3 == 0), over: make(chan error, 1)}
				cfg := websocket.Config{Compression: how.compression, ReadLimit: readLimit}
				if err := talk.with(s, how.reads, how.callbacks, cfg); err != nil {
					t.Errorf("the server reads by %s, client by callbacks %v, compression %d: %v",
						how.reads, how.callbacks, how.compression, err)
				}
			})
		}
		all.Wait()
		if !within(func() bool { return len(s.ends) == len(s.begun) }) {
			t.Fatalf("%d of %d connections have not ended at the server", len(s.begun)-len(s.ends), len(s.begun))
		}
		for range len(s.ends) {
			if err := <-s.ends; websocket.CloseStatus(err) != websocket.CloseNormal {
				t.Errorf("a connection ended at the server with %v", err)
			}
		}
	})
}

// messages returns what is sent. Every second one is text.
func messages(nth uint64, large bool) (all [][]byte) {
	dice := diceFor("messages", nth)
	sizes := []int{0, 1, 2, 7, 125, 126, 127, 128, 1000, 4095, 4096, 4097, 16 << 10, 65535, 65536, 100_000}
	if large {
		sizes = append(sizes, 1<<20)
	}
	for range 60 {
		sizes = append(sizes, dice.IntN(1<<dice.IntN(14)))
	}
	dice.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	for i, size := range sizes {
		if i%2 == 0 || i%3 == 0 {
			all = append(all, words(dice, size))
		} else {
			all = append(all, noise(dice, size))
		}
	}
	return all
}

// kindOf is the type of the ith message.
func kindOf(i int) websocket.MessageType {
	if i%2 == 0 {
		return websocket.TextMessage
	}
	return websocket.BinaryMessage
}
