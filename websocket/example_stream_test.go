package websocket_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/shockwave-go/shockwave/websocket"
)

// A handler is tested over a Pipe, without a server; it passes messages on without holding them in memory.
func ExamplePipe() {
	upper := func(c *websocket.Conn) {
		for {
			t, in, err := c.NextReader()
			if err != nil {
				return
			}
			out, err := c.NextWriter(t)
			if err != nil {
				return
			}
			p := make([]byte, 4<<10)
			for n := 0; err == nil; {
				n, err = in.Read(p)
				io.WriteString(out, strings.ToUpper(string(p[:n])))
			}
			out.Close()
		}
	}

	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{})
	go upper(server)
	client.WriteMessage(websocket.TextMessage, []byte("hello"))
	_, p, err := client.ReadMessage()
	fmt.Printf("%s %v\n", p, err)
	fmt.Println(client.Close(websocket.CloseNormal, ""))
	// Output:
	// HELLO <nil>
	// <nil>
}

// A program that sends much keeps no more than a few messages under way.
func ExampleConn_SendFunc() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{})
	go func() {
		free := make(chan struct{}, 4)
		for i := range 100 {
			free <- struct{}{}
			server.SendFunc(websocket.TextMessage, fmt.Append(nil, i), func(error) { <-free })
		}
		server.Close(websocket.CloseNormal, "")
	}()
	n := 0
	for range client.Messages() {
		n++
	}
	fmt.Println(n)
	// Output: 100
}
