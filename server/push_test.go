package server_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// What a handler pushes arrives while it goes on, on HTTP/1.1 and HTTP/2, and nothing waits for a later write.
func TestPush(t *testing.T) {
	more := make(chan struct{})
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		for _, part := range []string{"", "one", "two"} {
			w.WriteString(part)
			if err := w.Push(); err != nil {
				t.Errorf("Push: %v", err)
			}
			<-more
		}
	})
	for name, protocols := range map[string]func(*http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) },
		"HTTP/2.0": func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		t.Run(name, func(t *testing.T) {
			tr := &http.Transport{Protocols: new(http.Protocols)}
			protocols(tr.Protocols)
			defer tr.CloseIdleConnections()
			client := &http.Client{Transport: tr}
			res, err := client.Get("http://" + f.addr)
			if err != nil {
				t.Fatal(err)
			}
			if res.Proto != name {
				t.Errorf("got %s", res.Proto)
			}
			more <- struct{}{} // the head was pushed alone
			p := make([]byte, 3)
			for _, want := range []string{"one", "two"} {
				if _, err := io.ReadFull(res.Body, p); err != nil || string(p) != want {
					t.Fatalf("got %q, %v, want %q", p, err, want)
				}
				more <- struct{}{}
			}
			if n, err := res.Body.Read(p); n > 0 || err != io.EOF {
				t.Errorf("at the end: got %d bytes, %v", n, err)
			}
		})
	}
}
