package webtransport_test

import (
	"context"
	"io"
	"log"
	"net/http"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/http3/webtransport"
	"github.com/shockwave-go/shockwave/nethttp"
)

// A server sends back what clients write on streams. In a browser: new WebTransport("https://example.com/echo").
func Example() {
	http.HandleFunc("CONNECT /echo", func(w http.ResponseWriter, r *http.Request) {
		s, err := webtransport.Accept(w, r, webtransport.Config{})
		if err != nil {
			return // the client has got a response that says why
		}
		defer s.Close(0, "")
		for {
			str, err := s.AcceptStream(context.Background())
			if err != nil {
				return // the session has ended
			}
			go func() {
				defer str.Close()
				io.Copy(str, str)
			}()
		}
	})
	srv := &nethttp.Server{Addr: ":443", Handler: http.DefaultServeMux}
	h3 := http3.NewServer(srv, http3.Config{WebTransportSessions: 10})
	log.Fatal(h3.ListenAndServe(":443", "cert.pem", "key.pem"))
}
