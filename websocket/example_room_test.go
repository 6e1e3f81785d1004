package websocket_test

import (
	"fmt"

	"github.com/shockwave-go/shockwave/websocket"
)

// A message that one member sends to a room reaches the others.
func ExampleRooms() {
	var rooms websocket.Rooms[string]
	enter := func(room string) (client *websocket.Conn) {
		client, server := websocket.Pipe(websocket.Config{}, websocket.Config{ // Accept, in a handler
			OnMessage: func(c *websocket.Conn, t websocket.MessageType, p []byte) {
				n := rooms.Get(room).Broadcast(websocket.Prepare(t, p), c)
				c.Send(t, fmt.Appendf(nil, "%d heard it", n))
			},
		})
		rooms.Join(room, server)
		return client
	}
	ann, bob, eve := enter("tea"), enter("tea"), enter("coffee")

	ann.WriteMessage(websocket.TextMessage, []byte("one sugar, please"))
	_, p, _ := bob.ReadMessage()
	fmt.Printf("Bob: %s\n", p)
	_, p, _ = ann.ReadMessage()
	fmt.Printf("Ann: %s\n", p)

	for _, c := range []*websocket.Conn{ann, bob, eve} {
		c.Close(websocket.CloseNormal, "")
	}
	// Output:
	// Bob: one sugar, please
	// Ann: 1 heard it
}

// A message for some connections is framed, and compressed, once for all of them.
func ExampleBroadcast() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{})
	server.SetValue("admin")

	admins := func(yield func(*websocket.Conn) bool) {
		for c := range websocket.DefaultGroup.All() {
			if c.Value() == "admin" && !yield(c) {
				return
			}
		}
	}
	fmt.Println(websocket.Broadcast(admins, websocket.Prepare(websocket.TextMessage, []byte("disk full"))))
	_, p, _ := client.ReadMessage()
	fmt.Printf("%s\n", p)

	client.CloseNow()
	server.CloseNow()
	// Output:
	// 1
	// disk full
}
