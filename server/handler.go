package server

// Handler serves requests. w and r, and every byte slice that their methods return, are valid until ServeHTTP returns.
//
// ServeHTTP may block: only its own request waits. Requests on one HTTP/1 connection are handled one after the other,
// on the goroutine of the connection. Requests on different connections, and on different streams of one HTTP/2
// connection, are handled at the same time.
//
// If ServeHTTP panics or calls runtime.Goexit, that is logged and the connection, or the HTTP/2 stream, is aborted. The
// server goes on.
type Handler interface {
	ServeHTTP(w *ResponseWriter, r *Request)
}

// HandlerFunc is a function that implements Handler.
type HandlerFunc func(w *ResponseWriter, r *Request)

// ServeHTTP calls f.
func (f HandlerFunc) ServeHTTP(w *ResponseWriter, r *Request) { f(w, r) }
