package nethttp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// Replace http.ListenAndServe with nethttp.ListenAndServe; handlers stay as they are.
func ExampleListenAndServe() {
	http.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "Hello, %s!\n", r.PathValue("name"))
	})
	log.Fatal(nethttp.ListenAndServe("localhost:8080", nil))
}

// A Server has http.Server's fields, and is shut down in the same way.
func ExampleServer() {
	s := &nethttp.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s", r.Method, r.URL.Path)
		}),
		ReadHeaderTimeout: 5 * time.Second,
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- s.Serve(l) }()

	res, err := http.Get("http://" + l.Addr().String() + "/page")
	if err != nil {
		log.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	fmt.Println(res.Status, string(body))

	s.Shutdown(context.Background())
	fmt.Println(<-ended)
	// Output:
	// 200 OK GET /page
	// http: Server closed
}

// FromServer takes over a server that other code has configured.
func ExampleFromServer() {
	std := &http.Server{Addr: "localhost:8080", ReadTimeout: time.Minute}
	s := nethttp.FromServer(std)
	fmt.Println(s.Addr, s.ReadTimeout)
	// Output: localhost:8080 1m0s
}

// Handler lets net/http handlers be used beside native ones, which do not allocate.
func ExampleHandler() {
	files := nethttp.Handler(http.FileServer(http.Dir(".")))
	s := server.NewServer(server.Config{
		Addr: "localhost:8080",
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if string(r.Path()) == "/ping" {
				w.WriteText("pong")
				return
			}
			files.ServeHTTP(w, r)
		}),
	})
	log.Fatal(s.ListenAndServe())
}

// The context of a request ends when the client goes away, which stops work that is not needed any more.
func ExampleHandler_context() {
	h := func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
		defer cancel()
		select {
		case <-ctx.Done(): // the client has left, or the timeout has passed
		case <-time.After(time.Second): // the work
			fmt.Fprintln(w, "done")
		}
	}
	log.Fatal(nethttp.ListenAndServe("localhost:8080", http.HandlerFunc(h)))
}
