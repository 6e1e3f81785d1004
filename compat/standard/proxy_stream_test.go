package standard

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// Each piece of a stream passes the proxy before the next one is sent.
func TestReverseProxyStreams(t *testing.T) {
	t.Parallel()
	step := make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n", i)
			http.NewResponseController(w).Flush()
			<-step
		}
	})
	behindProxy(t, h, func(t *testing.T, front *both.Site) []both.Exchange {
		res, err := front.Client.Do(front.New(t, both.Get(200, "/")))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			piece := make([]byte, len("data: 0\n"))
			if _, err := io.ReadFull(res.Body, piece); err != nil || string(piece) != fmt.Sprintf("data: %d\n", i) {
				t.Fatalf("%s: got %q, %v", front.Name, piece, err)
			}
			both.Offer(t, step, true, "the next piece")
		}
		return []both.Exchange{front.Read(res, nil)}
	})
}

// When the client leaves, the request's context behind the proxy ends.
func TestReverseProxyClientGone(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		ended <- context.Cause(r.Context())
	})
	behindProxy(t, h, func(t *testing.T, front *both.Site) []both.Exchange {
		ctx, cancel := context.WithCancel(t.Context())
		res, err := front.Client.Do(front.New(t, both.Get(200, "/")).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		res.Body.Close()
		if err := both.Receive(t, ended, "the end of the context"); err == nil {
			t.Error("the context ended without a cause")
		}
		return nil
	})
}

// An upgrade passes the proxy, which couples both connections.
func TestReverseProxyUpgrade(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer nc.Close()
		fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: %s\r\n\r\nready\n", r.Header.Get("Upgrade"))
		rw.Flush()
		for {
			line, err := rw.ReadString('\n')
			if err != nil {
				return
			}
			rw.WriteString(strings.ToUpper(line))
			rw.Flush()
		}
	})
	behindProxy(t, h, func(t *testing.T, front *both.Site) []both.Exchange {
		p := front.Dial(t)
		p.Say("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n")
		head := front.Read(http.ReadResponse(p.In, nil))
		if head.Status != http.StatusSwitchingProtocols || head.Header.Get("Upgrade") != "shout" {
			t.Fatalf("%s: %v", front.Name, head)
		}
		for _, line := range []string{"ready", "ONE", "TWO"} {
			if got := p.Line(); got != line {
				t.Errorf("%s: got %q, want %q", front.Name, got, line)
			}
			p.Say(map[string]string{"ready": "one\n", "ONE": "two\n"}[line])
		}
		p.Close()
		return []both.Exchange{head}
	})
}
