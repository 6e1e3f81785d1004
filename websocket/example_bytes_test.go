package websocket_test

import (
	"bufio"
	"context"
	"fmt"

	"github.com/shockwave-go/shockwave/websocket"
)

// Protocols that need a stream of bytes, such as SSH or a database's, are tunnelled.
func ExampleStream() {
	ctx := context.Background()
	c, s := websocket.Pipe(websocket.Config{}, websocket.Config{}) // or Dial and Accept
	client := websocket.Stream(ctx, c, websocket.BinaryMessage)
	server := websocket.Stream(ctx, s, websocket.BinaryMessage)

	go func() {
		fmt.Fprint(client, "one\ntw")
		fmt.Fprint(client, "o\n")
		client.Close()
	}()
	for lines := bufio.NewScanner(server); lines.Scan(); {
		fmt.Println(lines.Text())
	}
	server.Close()
	// Output:
	// one
	// two
}
