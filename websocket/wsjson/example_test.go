package wsjson_test

import (
	"context"
	"fmt"

	"github.com/shockwave-go/shockwave/websocket"
	"github.com/shockwave-go/shockwave/websocket/wsjson"
)

// A server replies to each question that arrives; a client asks one.
func Example() {
	type question struct{ A, B int }
	type answer struct{ Sum int }
	serve := func(ctx context.Context, c *websocket.Conn) {
		for {
			var q question
			if err := wsjson.Read(ctx, c, &q); err != nil {
				return
			}
			wsjson.Write(ctx, c, answer{q.A + q.B})
		}
	}

	ctx := context.Background()
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{}) // or Dial and Accept
	go serve(ctx, server)
	wsjson.Write(ctx, client, question{2, 3})
	var a answer
	fmt.Println(wsjson.Read(ctx, client, &a), a.Sum)
	client.Close(websocket.CloseNormal, "")
	// Output: <nil> 5
}
