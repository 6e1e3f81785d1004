package http2

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

type key string

func serverRows() []row {
	return []row{
		{name: "contexts", native: "it is about net/http's contexts", server: func(s *http.Server) {
			s.BaseContext = func(net.Listener) context.Context { return context.WithValue(context.Background(), key("base"), "b") }
			s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
				return context.WithValue(ctx, key("conn"), c.RemoteAddr().String())
			}
		}, handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			ctx := r.Context()
			_, served := ctx.Value(http.ServerContextKey).(*http.Server)
			local, _ := ctx.Value(http.LocalAddrContextKey).(net.Addr)
			k.notef("base %v, conn %v, server %v, local %v", ctx.Value(key("base")), ctx.Value(key("conn")) == r.RemoteAddr, served,
				local != nil && local.String() == k.Addr)
		}, play: func(k *talk) { k.tell(k.request("GET", "/", nil)) }},
		{name: "a head that is too long", server: func(s *http.Server) { s.MaxHeaderBytes = 4 << 10 },
			handle: func(k *talk, w http.ResponseWriter, r *http.Request) { io.WriteString(w, "taken") },
			play: func(k *talk) {
				for _, n := range []int{1 << 10, 3 << 10, 20 << 10} {
					req := k.request("GET", "/", nil)
					req.Header.Set("X-Long", letters(n))
					x := k.Read(k.Client.Do(req))
					k.notef("%d: %d, fails %v", n, x.Status, x.Failure != "")
				}
			}},
		{name: "a mux", server: func(s *http.Server) {
			mux := http.NewServeMux()
			mux.HandleFunc("GET /item/{id}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue("id")) })
			mux.Handle("/old", http.RedirectHandler("/new", http.StatusMovedPermanently))
			s.Handler = mux
		}, play: func(k *talk) {
			for _, target := range []string{"/item/7", "/old", "/none", "/a/../item/8"} {
				k.tell(k.request("GET", target, nil))
			}
			k.tell(k.request("POST", "/item/7", nil))
			k.tell(k.request("OPTIONS", "/item/7", nil))
		}},
		{name: "one connection has all requests", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, r.RemoteAddr)
		}, play: func(k *talk) {
			var mu sync.Mutex
			clients := map[string]bool{}
			var all sync.WaitGroup
			clients[k.Read(k.Client.Do(k.request("GET", "/", nil))).Body] = true
			for range 50 {
				all.Go(func() {
					x := k.Read(k.Client.Do(k.request("GET", "/", nil)))
					mu.Lock()
					clients[x.Body] = true
					mu.Unlock()
				})
			}
			all.Wait()
			k.notef("%d connections", len(clients))
		}},
		{name: "SetKeepAlivesEnabled(false)", handle: echo, play: func(k *talk) {
			k.tell(k.request("GET", "/", nil))
			k.Server.SetKeepAlivesEnabled(false)
			k.tell(k.request("POST", "/", strings.NewReader("still answered")))
		}},
		{name: "Connection: close of a handler", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			io.WriteString(w, "the last on this connection")
		}, play: func(k *talk) {
			for range 3 {
				k.tell(k.request("GET", "/", nil))
			}
		}},
		{name: "OPTIONS *", native: "native handlers answer it themselves", handle: seen, play: func(k *talk) {
			req := k.request("OPTIONS", "/", nil)
			req.URL.Opaque = "*"
			k.tell(req)
		}},
		{name: "CONNECT", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			k.notef("handler: %s %q %q %q", r.Method, r.Host, r.URL.String(), r.RequestURI)
			http.NewResponseController(w).Flush()
			io.Copy(w, r.Body)
		}, play: func(k *talk) {
			in, out := io.Pipe()
			req := k.request("CONNECT", "/", in)
			req.URL.Path, req.Host = "", "tunnel.example.com:443"
			res := k.send(req)
			io.WriteString(out, "through the tunnel")
			out.Close()
			body, err := io.ReadAll(res.Body)
			k.notef("client: %s %q %v", res.Status, body, err)
		}},
	}
}
