package http2_test

import (
	"fmt"

	"github.com/shockwave-go/shockwave/http2"
)

// Both ends of a connection, with byte slices for the network.
func Example() {
	client, server := http2.NewClient(&http2.Config{}, 0), http2.NewServer(&http2.Config{}, 0)

	request, err := client.Open(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	toServer := client.AppendHeaders(nil, request, []http2.Field{
		{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "example.com"},
		{Name: ":path", Value: "/hello"},
	}, true)

	var toClient []byte
	each(server, toServer, func(ev http2.Event) {
		if ev.Kind != http2.EventHeaders {
			return
		}
		fmt.Println(ev.Head.Method, ev.Head.Path)
		toClient = server.BeginHeaders(toClient, ev.Stream)
		toClient = server.AppendStatus(toClient, 200)
		toClient = server.AppendField(toClient, "content-type", "text/plain")
		toClient = server.EndHeaders(toClient, false)
		// The rest, if a window is too small for all of it, would wait for Ready and NextSender.
		toClient, _ = server.AppendData(toClient, ev.Stream, []byte("Hello!"), true, 0)
		server.Release(ev.Stream)
	})

	each(client, toClient, func(ev http2.Event) {
		switch ev.Kind {
		case http2.EventHeaders:
			fmt.Println(ev.Head.Status, ev.Head.Fields[0].Value)
		case http2.EventData:
			fmt.Printf("%s\n", ev.Data)
			client.Consumed(ev.Stream, len(ev.Data), 0)
			if ev.EndStream {
				client.Release(ev.Stream)
			}
		}
	})
	// Output:
	// GET /hello
	// 200 text/plain
	// Hello!
}

// each calls do for all events in the bytes.
func each(c *http2.Conn, in []byte, do func(http2.Event)) {
	for {
		ev, n, err := c.Next(in, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		if ev.Kind == http2.EventNone {
			return
		}
		in = in[n:]
		do(ev)
	}
}

// A priority field of a response or request, as it is sent.
func ExampleParsePriority() {
	p := http2.ParsePriority("u=1, i")
	fmt.Println(p.Urgency, p.Incremental, string(p.Append(nil)))
	// Output: 1 true u=1, i
}
