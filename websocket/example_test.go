package websocket_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/websocket"
)

// A handler of net/http sends back what it receives, on net/http's server or on nethttp's; its client follows.
func ExampleAccept() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, websocket.Config{})
		if err != nil {
			return // the client has been told why
		}
		defer c.CloseNow()
		for m, err := range c.Messages() {
			if err != nil || c.WriteMessage(m.Type, m.Data) != nil {
				return
			}
		}
	}))
	defer s.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, _, err := websocket.Dial(ctx, s.URL, websocket.Config{}) // http stands for ws
	if err != nil {
		log.Fatal(err)
	}
	c.WriteMessage(websocket.TextMessage, []byte("hello"))
	t, p, err := c.ReadMessage()
	fmt.Println(t, string(p), err)
	fmt.Println(c.Close(websocket.CloseNormal, ""))
	// Output:
	// text hello <nil>
	// <nil>
}

// A server that refuses says why.
func ExampleDial() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "members only", http.StatusForbidden)
	}))
	defer s.Close()

	_, res, err := websocket.Dial(context.Background(), s.URL, websocket.Config{})
	var refused *websocket.HandshakeError
	if errors.As(err, &refused) {
		body, _ := io.ReadAll(res.Body)
		fmt.Printf("%d %s", refused.Status, body)
	}
	// Output: 403 members only
}

// With callbacks a connection has a goroutine only while messages come. What they write leaves together.
func ExampleConfig() {
	closed := make(chan websocket.CloseCode)
	client, _ := websocket.Pipe(websocket.Config{}, websocket.Config{
		OnMessage: func(c *websocket.Conn, t websocket.MessageType, p []byte) {
			c.WriteMessage(t, []byte(strings.ToUpper(string(p)))) // p is valid until this function returns
		},
		OnClose: func(_ *websocket.Conn, err error) { closed <- websocket.CloseStatus(err) },
	})
	client.WriteMessage(websocket.TextMessage, []byte("hello"))
	_, p, err := client.ReadMessage()
	fmt.Println(string(p), err)
	client.Close(websocket.CloseNormal, "")
	fmt.Println(<-closed)
	// Output:
	// HELLO <nil>
	// 1000 normal closure
}

// The loop ends without an error when the peer closes in order.
func ExampleConn_Messages() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{})
	go func() {
		client.WriteMessage(websocket.TextMessage, []byte("one"))
		client.WriteMessage(websocket.BinaryMessage, []byte("two"))
		client.Close(websocket.CloseNormal, "that is all")
	}()
	for m, err := range server.Messages() {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(m.Type, string(m.Data))
	}
	fmt.Println("end")
	// Output:
	// text one
	// binary two
	// end
}

// A close code of its own tells an application's peers why it closes.
func ExampleCloseStatus() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{})
	go server.Close(4001, "your session has ended")

	_, _, err := client.ReadMessage()
	switch websocket.CloseStatus(err) {
	case 4001:
		var why *websocket.CloseError
		errors.As(err, &why)
		fmt.Println(why.Reason)
	case 0:
		fmt.Println("broken off:", err)
	}
	// Output: your session has ended
}

// A message of unknown length is written in parts and read in parts, so neither end holds it whole.
func ExampleConn_NextWriter() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{})
	go func() {
		w, err := client.NextWriter(websocket.TextMessage)
		if err != nil {
			return
		}
		for n := range 3 {
			fmt.Fprintf(w, "line %d\n", n)
		}
		w.Close() // ends the message
		client.Close(websocket.CloseNormal, "")
	}()
	_, r, err := server.NextReader()
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(os.Stdout, r)
	server.ReadMessage() // the close
	// Output:
	// line 0
	// line 1
	// line 2
}

// A context that ends stops the read and nothing else: the next read continues.
func ExampleConn_ReadMessageContext() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := server.ReadMessageContext(ctx)
	fmt.Println(err)

	client.WriteMessage(websocket.TextMessage, []byte("late"))
	_, p, err := server.ReadMessageContext(context.Background())
	fmt.Println(string(p), err)
	client.CloseNow()
	server.CloseNow()
	// Output:
	// context canceled
	// late <nil>
}

// A reader allocates nothing, and a message that does not fit the buffer is not lost.
func ExampleConn_ReadMessageInto() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{})
	client.WriteMessage(websocket.TextMessage, []byte("hello"))

	buf := make([]byte, 4)
	_, n, err := server.ReadMessageInto(buf)
	if err == io.ErrShortBuffer {
		buf = make([]byte, n)
		_, n, err = server.ReadMessageInto(buf)
	}
	fmt.Println(string(buf[:n]), err)
	client.CloseNow()
	server.CloseNow()
	// Output: hello <nil>
}

// The pong is received by the goroutine that reads.
func ExampleConn_Ping() {
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{})
	go server.ReadMessage() // answers pings meanwhile
	go client.ReadMessage()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(client.Ping(ctx))
	client.CloseNow()
	server.CloseNow()
	// Output: <nil>
}

// A message to a room is framed once, however many members there are.
func ExampleGroup_Broadcast() {
	var room websocket.Group
	in := websocket.Config{Group: &room, Slow: websocket.DropOldest}
	ann, annsEnd := websocket.Pipe(websocket.Config{}, in)
	bob, bobsEnd := websocket.Pipe(websocket.Config{}, in)

	fmt.Println(room.Broadcast(websocket.Prepare(websocket.TextMessage, []byte("welcome"))))
	for _, c := range []*websocket.Conn{ann, bob} {
		_, p, err := c.ReadMessage()
		fmt.Println(string(p), err)
	}
	for _, c := range []*websocket.Conn{ann, annsEnd, bob, bobsEnd} {
		c.CloseNow()
	}
	// Output:
	// 2
	// welcome <nil>
	// welcome <nil>
}

// All peers are told that the server goes away.
func ExampleGroup_Shutdown() {
	var group websocket.Group
	client, server := websocket.Pipe(websocket.Config{}, websocket.Config{Group: &group})
	go server.ReadMessage()
	left := make(chan error)
	go func() {
		_, _, err := client.ReadMessage()
		left <- err
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(group.Shutdown(ctx))
	fmt.Println(websocket.CloseStatus(<-left) == websocket.CloseGoingAway)
	// Output:
	// <nil>
	// true
}

// A FrameReader returns frames where a Conn returns messages, for proxies and tools. The frame is RFC 6455's example of a text
// from a client.
func ExampleFrameReader() {
	src := strings.NewReader("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58")
	frames := websocket.NewFrameReader(src, websocket.ServerRole, 0)
	defer frames.Close()

	buf := make([]byte, 1024)
	for {
		f, _, err := frames.ReadFrameInto(buf)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v %v %s\n", f.Opcode == websocket.OpText, f.FIN, f.Payload)
	}
	// Output:
	// true true Hello
	// EOF
}
