// Sse streams server-sent events, one per tick, until the client disconnects:
//
//	curl -N http://127.0.0.1:8080/
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen here")
	every := flag.Duration("every", time.Second, "time between events")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", l.Addr())

	srv := &nethttp.Server{Handler: clock(*every)}
	log.Fatal(srv.Serve(l))
}

func clock(every time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		control := http.NewResponseController(w)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for n := 1; ; n++ {
			fmt.Fprintf(w, "id: %d\ndata: %s\n\n", n, time.Now().Format(time.RFC3339Nano))
			if control.Flush() != nil {
				return
			}
			select {
			case <-tick.C:
			case <-r.Context().Done(): // the client has disconnected
				return
			}
		}
	}
}
