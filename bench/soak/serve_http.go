package main

import "net/http"

// ServeHTTP handles a request through net/http's types.
func (h *serverGroup) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	h.respond(r.URL.Path, &handlerCall{
		in: r.Body, out: w,
		set:    func(name, value string) { w.Header().Set(name, value) },
		refuse: func(status int, why string) { http.Error(w, why, status) },
		flush:  control.Flush,
		hijack: control.Hijack,
		gone:   r.Context().Done,
		abort:  http.ErrAbortHandler,
	})
}
