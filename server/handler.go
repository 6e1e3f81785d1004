package server

// Handler answers requests. w and r, and every byte slice they give out, are valid until ServeHTTP returns.
//
// ServeHTTP runs on the connection's goroutine and may block: nobody else waits for it. Requests of one connection are
// handled one after the other, those of different connections at the same time.
//
// If ServeHTTP panics or calls runtime.Goexit, that is logged and the connection ends; the server lives on.
type Handler interface {
	ServeHTTP(w *ResponseWriter, r *Request)
}

// HandlerFunc is a function as a Handler.
type HandlerFunc func(w *ResponseWriter, r *Request)

// ServeHTTP calls f.
func (f HandlerFunc) ServeHTTP(w *ResponseWriter, r *Request) { f(w, r) }
