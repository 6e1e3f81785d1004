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

// fetch prints the status and the body of a response.
func fetch(url string) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		log.Fatal(err)
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	fmt.Println(res.StatusCode, string(body))
}

// Serve accepts any listener: one with a port that the system chose, one on a Unix socket, or one passed on by systemd.
func ExampleServe() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "Hello, %s!", r.PathValue("name"))
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- nethttp.Serve(l, mux) }()

	fetch("http://" + l.Addr().String() + "/hello/gopher")
	l.Close()
	<-ended // never nil
	// Output: 200 Hello, gopher!
}

// Both kinds of handlers can be used in one server: a native handler for the hot path, which does not allocate, and net/http
// handlers for everything else.
func ExampleHandler_mixed() {
	rest := nethttp.Handler(http.NotFoundHandler())
	s := server.NewServer(server.Config{
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if string(r.Path()) == "/ping" {
				w.WriteText("pong")
				return
			}
			rest.ServeHTTP(w, r)
		}),
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()

	fetch("http://" + l.Addr().String() + "/ping")
	fetch("http://" + l.Addr().String() + "/pong")
	// Output:
	// 200 pong
	// 404 404 page not found
}

// Shutdown waits for requests in progress. Functions registered with RegisterOnShutdown are called
// when it begins.
func ExampleServer_Shutdown() {
	working, stopping, answered := make(chan bool), make(chan bool), make(chan bool)
	s := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(working)
		<-stopping // the work ends after the shutdown has begun
		fmt.Fprint(w, "done, in peace")
	})}
	s.RegisterOnShutdown(func() { close(stopping) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go s.Serve(l)
	go func() {
		fetch("http://" + l.Addr().String())
		close(answered)
	}()

	<-working
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	err = s.Shutdown(ctx)
	<-answered
	fmt.Println(err)
	// Output:
	// 200 done, in peace
	// <nil>
}
