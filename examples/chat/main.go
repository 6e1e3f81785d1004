// Chat is a chat room over WebSocket, with the page for it: whatever one person writes is sent to everybody in the
// room. Open http://127.0.0.1:8080/ in two browser windows to try it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/websocket"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen here")
	flag.Parse()
	interrupted, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	r := &room{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, page)
	})
	mux.HandleFunc("GET /room", r.enter)
	srv := &nethttp.Server{Handler: mux}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	fmt.Printf("listening on http://%s/\n", l.Addr())

	select {
	case err := <-served:
		log.Fatal(err)
	case <-interrupted.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	srv.RegisterOnShutdown(func() { r.people.Shutdown(ctx) }) // runs when Shutdown begins
	if err := errors.Join(srv.Shutdown(ctx), r.people.Shutdown(ctx)); err != nil {
		log.Fatal(err)
	}
}

// room is the chat room. Its websocket.Group holds all open connections.
//
// The connections use callbacks, so one without traffic needs no goroutine. A member that reads too slowly loses its
// oldest unsent messages (websocket.DropOldest) and never delays the others.
type room struct{ people websocket.Group }

// enter upgrades the request to a WebSocket connection and adds it to the room. The query parameter "name" is the name
// that the others see.
func (r *room) enter(w http.ResponseWriter, req *http.Request) {
	name := req.FormValue("name")
	if name == "" || len(name) > 40 {
		http.Error(w, "a name, please, of at most 40 bytes", http.StatusBadRequest)
		return
	}
	websocket.Accept(w, req, websocket.Config{ // on error, Accept has already sent the HTTP error response
		Group:        &r.people,
		ReadLimit:    4 << 10,
		PingInterval: 30 * time.Second,
		Slow:         websocket.DropOldest,
		OnOpen:       func(*websocket.Conn) { r.say("%s has come", name) },
		OnMessage: func(_ *websocket.Conn, t websocket.MessageType, p []byte) {
			if t == websocket.TextMessage {
				r.say("%s: %s", name, p)
			}
		},
		OnClose: func(*websocket.Conn, error) { r.say("%s has left", name) },
	})
}

// say sends a message to everybody in the room. Prepare encodes the WebSocket frame once; all connections share it.
func (r *room) say(format string, args ...any) {
	r.people.Broadcast(websocket.Prepare(websocket.TextMessage, fmt.Appendf(nil, format, args...)))
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chat</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
ol { list-style: none; padding: 0; min-height: 12rem; overflow-wrap: anywhere; }
form { display: flex; gap: .5rem; }
input { flex: 1; font: inherit; padding: .4rem .6rem; }
</style>
<ol id="said" aria-live="polite"></ol>
<form id="form"><input id="line" autocomplete="off" maxlength="1000" placeholder="Your name" required autofocus><button>Enter</button></form>
<script>
const said = document.getElementById('said'), line = document.getElementById('line');
const show = text => {
  const item = document.createElement('li');
  item.textContent = text;
  said.append(item);
  item.scrollIntoView();
};
let room;
const enter = name => {
  const url = new URL('/room?name=' + encodeURIComponent(name), location);
  url.protocol = url.protocol.replace('http', 'ws');
  room = new WebSocket(url);
  room.onopen = () => { line.placeholder = 'Say something'; };
  room.onmessage = e => show(e.data);
  room.onclose = e => {
    show('You are out (' + e.code + ').');
    line.placeholder = 'Your name';
    room = undefined;
  };
};
document.getElementById('form').onsubmit = e => {
  e.preventDefault();
  if (!room) enter(line.value);
  else if (room.readyState === WebSocket.OPEN) room.send(line.value);
  line.value = '';
};
</script>
</html>
`
