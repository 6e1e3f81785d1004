package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// serveExample serves h on a free port and returns its URL.
func serveExample(h server.Handler) (url string, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := server.NewServer(server.Config{Handler: h})
	ended := make(chan bool)
	go func() { s.Serve(l); close(ended) }()
	return "http://" + l.Addr().String(), func() { s.Close(); <-ended }
}

// fetch prints the body of url.
func fetch(url string) {
	res, err := http.Get(url)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	fmt.Println(res.StatusCode, string(body))
}

func ExampleMux() {
	m := new(server.Mux)
	m.HandleFunc("GET /hello/{name}", func(w *server.ResponseWriter, r *server.Request) {
		fmt.Fprintf(w, "Hello, %s!", r.PathValue("name"))
	})
	m.HandleFunc("/files/{path...}", func(w *server.ResponseWriter, r *server.Request) {
		fmt.Fprintf(w, "a file called %s", r.PathValue("path"))
	})
	url, stop := serveExample(m)
	defer stop()
	fetch(url + "/hello/Ada%20Lovelace")
	fetch(url + "/files/a/b.txt")
	// Output:
	// 200 Hello, Ada Lovelace!
	// 200 a file called a/b.txt
}

func ExampleRequest_QueryValues() {
	url, stop := serveExample(server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		query := r.QueryValues()
		fmt.Fprintf(w, "%s, %v;", query.Get("q"), query.Has("none"))
		for name, value := range query.All() {
			fmt.Fprintf(w, " %s=%s", name, value)
		}
	}))
	defer stop()
	fetch(url + "/?q=two+words&q=again&n=%31")
	// Output: 200 two words, false; q=two words q=again n=1
}
