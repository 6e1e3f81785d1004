package main

import "github.com/shockwave-go/shockwave/server"

// serveNative is ServeHTTP for native handlers.
func (h *serverGroup) serveNative(w *server.ResponseWriter, r *server.Request) {
	h.respond(string(r.Path()), &handlerCall{
		in: r, out: w,
		set:    func(name, value string) { w.Header().Set(name, value) },
		refuse: func(status int, why string) { w.Error(status, why) },
		flush:  w.Flush,
		hijack: w.Hijack,
		gone: func() <-chan struct{} {
			left := make(chan struct{})
			r.OnClientGone(func() { close(left) })
			return left
		},
		abort: server.ErrAbort,
	})
}
