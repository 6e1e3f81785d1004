package websocket_test

import (
	"context"
	"fmt"

	"github.com/shockwave-go/shockwave/websocket"
)

// A program that only writes lets CloseRead read, and is told when the peer leaves.
func ExampleConn_CloseRead() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{}) // or Dial and Accept

	ctx := server.CloseRead(context.Background())
	server.WriteMessage(websocket.TextMessage, []byte("tick"))

	_, p, _ := client.ReadMessage()
	fmt.Printf("%s\n", p)
	client.Close(websocket.CloseGoingAway, "seen enough")

	<-ctx.Done()
	fmt.Println(context.Cause(ctx))
	// Output:
	// tick
	// websocket: closed by the peer: 1001 going away: "seen enough"
}

// A client may send only short messages until it has logged in, and longer ones afterwards.
func ExampleConn_SetReadLimit() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{ReadLimit: 64})
	client.WriteMessage(websocket.TextMessage, []byte("my password"))

	if _, p, err := server.ReadMessage(); err == nil && string(p) == "my password" {
		server.SetReadLimit(1 << 20)
	}
	client.WriteMessage(websocket.BinaryMessage, make([]byte, 5000))
	_, p, err := server.ReadMessage()
	fmt.Println(len(p), err)

	client.CloseNow()
	server.CloseNow()
	// Output: 5000 <nil>
}
