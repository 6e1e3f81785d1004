// Chat is a room: what one says, all hear. Open it in two windows of a browser.
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
	patience, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	srv.RegisterOnShutdown(func() { r.people.Shutdown(patience) }) // people are told at once
	if err := errors.Join(srv.Shutdown(patience), r.people.Shutdown(patience)); err != nil {
		log.Fatal(err)
	}
}

// room is where people talk. Who is silent costs no goroutine, and who does not listen fast enough misses the oldest
// messages: nobody else waits.
type room struct{ people websocket.Group }

// enter lets a browser in, under the name that it gives.
func (r *room) enter(w http.ResponseWriter, req *http.Request) {
	name := req.FormValue("name")
	if name == "" || len(name) > 40 {
		http.Error(w, "a name, please, of at most 40 bytes", http.StatusBadRequest)
		return
	}
	websocket.Accept(w, req, websocket.Config{ // an error has been answered
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

// say tells everybody. The message is framed once, however many they are.
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
