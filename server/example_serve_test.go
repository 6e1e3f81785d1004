package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/server"
)

// ask starts a server, sends one request with a body, which may be empty, and prints the status and body of the response.
func ask(cfg server.Config, method, target, body string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	s := server.NewServer(cfg)
	go s.Serve(l)
	defer s.Close()

	req, err := http.NewRequest(method, "http://"+l.Addr().String()+target, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d %s\n", res.StatusCode, strings.TrimSpace(string(text)))
}

// This server is started and shut down in order.
func ExampleServer() {
	l, err := server.Listen("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	s := server.NewServer(server.Config{
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			w.Write(r.Path()) // r's slices are valid until this function returns
		}),
	})
	ended := make(chan error)
	go func() { ended <- s.Serve(l) }()

	res, err := http.Get("http://" + l.Addr().String() + "/page")
	if err != nil {
		log.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	fmt.Println(res.StatusCode, string(body))

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(s.Shutdown(ctx), errors.Is(<-ended, server.ErrServerClosed))
	// Output:
	// 200 /page
	// <nil> true
}

// Paths are compared as received, not decoded.
func ExampleHandlerFunc() {
	hello := func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/hello":
			w.WriteText("Hello, " + string(r.Query()))
		default:
			w.Error(404, "nothing here")
		}
	}
	cfg := server.Config{Handler: server.HandlerFunc(hello)}
	ask(cfg, "GET", "/hello?gopher", "")
	ask(cfg, "GET", "/elsewhere", "")
	// Output:
	// 200 Hello, gopher
	// 404 nothing here
}

// A zero field of a Config means its default, a negative limit means none.
func ExampleConfig() {
	ask(server.Config{
		MaxBodyBytes: 10,
		IdleTimeout:  -1,
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			body, err := r.Body()
			if err != nil {
				return // the server sends the fitting status
			}
			w.Write(body)
		}),
	}, "POST", "/", "more than ten bytes")
	// Output: 413 the request's body is too large
}

// Body returns the whole body. Its memory belongs to the connection again when the handler returns.
func ExampleRequest_Body() {
	upper := func(w *server.ResponseWriter, r *server.Request) {
		body, err := r.Body()
		if err != nil {
			return
		}
		w.WriteText(strings.ToUpper(string(body)))
	}
	ask(server.Config{Handler: server.HandlerFunc(upper)}, "POST", "/", "hello")
	// Output: 200 HELLO
}

// A Request is an io.Reader, so a body of any length can be read as it arrives.
func ExampleRequest_Read() {
	count := func(w *server.ResponseWriter, r *server.Request) {
		r.SetMaxBody(1 << 40)
		n, err := io.Copy(io.Discard, r)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "%d bytes", n)
	}
	ask(server.Config{Handler: server.HandlerFunc(count)}, "PUT", "/", strings.Repeat("x", 1<<20))
	// Output: 200 1048576 bytes
}

// The slice that Get returns is valid until the handler returns. Set copies its arguments.
func ExampleResponseWriter_Header() {
	greet := func(w *server.ResponseWriter, r *server.Request) {
		agent, _, _ := strings.Cut(r.Header().GetString("User-Agent"), "/")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Vary", "User-Agent")
		w.WriteText("Hello, " + agent)
	}
	ask(server.Config{Handler: server.HandlerFunc(greet)}, "GET", "/", "")
	// Output: 200 Hello, Go-http-client
}

// Each event is sent at once. A handler may take any time, because it runs on its connection's goroutine.
func ExampleResponseWriter_Flush() {
	events := func(w *server.ResponseWriter, r *server.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for n := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", n)
			if w.Flush() != nil {
				return // the client has closed the connection
			}
		}
	}
	ask(server.Config{Handler: server.HandlerFunc(events)}, "GET", "/", "")
	// Output:
	// 200 data: 0
	//
	// data: 1
	//
	// data: 2
}

// A trailer contains a value that is known only after the body has been written.
func ExampleResponseWriter_Trailer() {
	s := server.NewServer(server.Config{
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			w.Header().Set("Trailer", "X-Lines")
			for n := range 3 {
				fmt.Fprintln(w, n)
			}
			w.Trailer().Set("X-Lines", "3")
		}),
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()

	res, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	res.Body.Close()
	fmt.Println(res.Trailer.Get("X-Lines"))
	// Output: 3
}

// Early hints send fields that a browser can use before the final response is known.
func ExampleResponseWriter_WriteInformational() {
	page := func(w *server.ResponseWriter, r *server.Request) {
		var hints shockwave.Header
		hints.Add("Link", "</style.css>; rel=preload; as=style")
		w.WriteInformational(103, &hints)
		w.WriteBody("text/html; charset=utf-8", []byte("<link rel=stylesheet href=/style.css>"))
	}
	ask(server.Config{Handler: server.HandlerFunc(page)}, "GET", "/", "")
	// Output: 200 <link rel=stylesheet href=/style.css>
}

// After Hijack the handler owns the connection. Here it speaks a line-based protocol.
func ExampleResponseWriter_Hijack() {
	s := server.NewServer(server.Config{
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if !r.Upgrade() {
				w.Error(426, "this server speaks lines")
				return
			}
			nc, rw, err := w.Hijack()
			if err != nil {
				return
			}
			defer nc.Close()
			fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: lines\r\n\r\n")
			line, _ := rw.ReadString('\n') // rw also holds the bytes that arrived together with the head
			fmt.Fprint(rw, strings.ToUpper(line))
			rw.Flush()
		}),
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()

	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	fmt.Fprint(nc, "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: lines\r\n\r\nhello\n")
	answer, _ := io.ReadAll(nc)
	_, text, _ := strings.Cut(string(answer), "\r\n\r\n")
	fmt.Print(text)
	// Output: HELLO
}
