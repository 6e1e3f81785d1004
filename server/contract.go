// Package server serves HTTP/1.1 and HTTP/1.0 to native handlers: no allocation per request, bodies streamed, handlers
// that may block.
package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/shockwave-go/shockwave"
)

// Handler answers requests. w and r, and every byte slice they give out, are valid until ServeHTTP returns.
type Handler interface {
	ServeHTTP(w *ResponseWriter, r *Request)
}

// HandlerFunc is a function as a Handler.
type HandlerFunc func(w *ResponseWriter, r *Request)

// ServeHTTP calls f.
func (f HandlerFunc) ServeHTTP(w *ResponseWriter, r *Request) { f(w, r) }

// Config is a server's settings. A zero field is the documented default, a negative limit or time is none.
type Config struct {
	Addr    string  // for ListenAndServe; default ":8080" (":8443" with TLS)
	Handler Handler // required

	ReadBufferSize       int   // default 4 KiB
	WriteBufferSize      int   // body bytes kept back before a response is streamed; default 4 KiB
	MaxHeadBytes         int   // default 64 KiB; 431 beyond
	MaxHeadFields        int   // default 200; 431 beyond
	MaxTargetBytes       int   // default: http1's
	MaxBodyBytes         int64 // of a request; default 32 MiB; 413 beyond; a handler may raise it: Request.SetMaxBody
	MaxConns             int   // default none
	MaxKeepAliveRequests int   // per connection; default none
	DisableKeepAlive     bool

	ReadHeaderTimeout time.Duration // first byte of a head to its end; default 10 s; then 408
	ReadTimeout       time.Duration // of a body, from the end of its head; default none
	WriteTimeout      time.Duration // from the end of a head to the end of its answer; default none
	IdleTimeout       time.Duration // default 60 s
	IdlePark          time.Duration // default 10 s
	HandshakeTimeout  time.Duration // default 10 s
	MinReadRate       int           // bytes per second of a body while the server waits for it; default 240
	MinWriteRate      int           // bytes per second of an answer while it waits for the peer; default 240
	RateGrace         time.Duration // before the rates count; default 5 s

	ServerName string // the Server field; default: none is sent
	TLSConfig  *tls.Config
	Logger     *slog.Logger // default: silent

	// OnConn, if set, is called for every connection before its first request; what it returns is Request.ConnValue.
	OnConn func(l net.Listener, nc net.Conn) any
	// OnState, if set, is told every change of a connection's state. It selects the plain serve loop.
	OnState func(nc net.Conn, s ConnState)
}

// ConnState is a connection's state; the numbers are those of net/http's.
type ConnState int

// DefaultConfig returns the defaults, written out.
func DefaultConfig() Config { panic("server") }

// Server serves HTTP. All methods may be called concurrently.
type Server struct{}

// NewServer returns a server that has not begun to listen.
func NewServer(cfg Config) *Server { panic("server") }

func (s *Server) ListenAndServe() error                                   { panic("server") }
func (s *Server) ListenAndServeTLS(certFile, keyFile string) error        { panic("server") } // reloads the files when they change
func (s *Server) Serve(l net.Listener) error                              { panic("server") } // ErrServerClosed after Shutdown or Close
func (s *Server) ServeTLS(l net.Listener, certFile, keyFile string) error { panic("server") } // "" "" uses TLSConfig
func (s *Server) Shutdown(ctx context.Context) error                      { panic("server") }
func (s *Server) Close() error                                            { panic("server") }
func (s *Server) Stats() Stats                                            { panic("server") }

// ErrServerClosed is http.ErrServerClosed.
// ErrAbort: panic(server.ErrAbort) ends the connection without a log line (nethttp maps http.ErrAbortHandler to it).

// Stats is a snapshot of counters.
type Stats struct {
	Connections, OpenConnections, ActiveConnections, ParkedConnections int64
	Requests                                                           int64 // heads read whole
	BytesIn, BytesOut                                                  int64
	BadRequests                                                        int64 // answered 4xx by the server itself
	Timeouts, Panics, AcceptErrors                                     int64
}

// Request is a request as a native handler sees it. It is an io.Reader of the body.
type Request struct{}

func (r *Request) Method() []byte                     { panic("server") }
func (r *Request) Target() []byte                     { panic("server") } // as received
func (r *Request) Path() []byte                       { panic("server") } // as received, not decoded
func (r *Request) Query() []byte                      { panic("server") } // without "?"
func (r *Request) Host() []byte                       { panic("server") } // effective host
func (r *Request) Minor() int                         { panic("server") } // HTTP/1.Minor
func (r *Request) Header() *shockwave.Header          { panic("server") } // its Bytes are the whole head; do not change it
func (r *Request) ContentLength() int64               { panic("server") } // -1: chunked
func (r *Request) Chunked() bool                      { panic("server") }
func (r *Request) KeepAlive() bool                    { panic("server") } // the client wants it
func (r *Request) Upgrade() bool                      { panic("server") }
func (r *Request) Read(p []byte) (int, error)         { panic("server") } // streams; sends 100 Continue when it was asked for
func (r *Request) Body() ([]byte, error)              { panic("server") } // whole, within MaxBody; valid until the handler returns
func (r *Request) Trailer() *shockwave.Header         { panic("server") } // after Read said io.EOF
func (r *Request) SetMaxBody(n int64)                 { panic("server") } // negative: none
func (r *Request) RemoteAddr() net.Addr               { panic("server") }
func (r *Request) LocalAddr() net.Addr                { panic("server") }
func (r *Request) TLS() *tls.ConnectionState          { panic("server") }
func (r *Request) ConnValue() any                     { panic("server") }
func (r *Request) OnGone(f func()) (stop func() bool) { panic("server") } // see netconn.Conn.OnGone
func (r *Request) Draining() bool                     { panic("server") }

// ResponseWriter builds the answer. A body of no more than WriteBufferSize leaves with a Content-Length in one piece with its
// head when the handler returns; a larger one is streamed: with the Content-Length that the handler set, else chunked (HTTP/1.0: until close).
type ResponseWriter struct{}

func (w *ResponseWriter) SetStatus(code int)                                     { panic("server") } // 200 to 999; default 200
func (w *ResponseWriter) Status() int                                            { panic("server") }
func (w *ResponseWriter) Header() *shockwave.Header                              { panic("server") } // of the final answer; until Committed
func (w *ResponseWriter) Trailer() *shockwave.Header                             { panic("server") } // sent after a chunked body; declare with a Trailer field
func (w *ResponseWriter) Committed() bool                                        { panic("server") } // the head has been handed to the connection
func (w *ResponseWriter) Write(p []byte) (int, error)                            { panic("server") } // http.ErrContentLength, http.ErrBodyNotAllowed as net/http has them
func (w *ResponseWriter) WriteString(s string) (int, error)                      { panic("server") }
func (w *ResponseWriter) WriteBody(contentType string, b []byte) error           { panic("server") } // the whole body at once, with its length; b is not kept
func (w *ResponseWriter) WriteText(s string) error                               { panic("server") } // text/plain; charset=utf-8
func (w *ResponseWriter) WriteJSON(b []byte) error                               { panic("server") } // application/json
func (w *ResponseWriter) Error(code int, msg string) error                       { panic("server") } // text/plain, nosniff
func (w *ResponseWriter) ServeFile(name string) error                            { panic("server") } // Content-Type by name, Last-Modified; sendfile; no ranges (nethttp has http.ServeContent)
func (w *ResponseWriter) ReadFrom(src io.Reader) (int64, error)                  { panic("server") } // sendfile where it can
func (w *ResponseWriter) Flush() error                                           { panic("server") } // commits and sends
func (w *ResponseWriter) WriteInformational(code int, h *shockwave.Header) error { panic("server") } // 1xx other than 101
func (w *ResponseWriter) CloseAfter()                                            { panic("server") } // Connection: close
func (w *ResponseWriter) EnableFullDuplex()                                      { panic("server") } // reading the body after the answer began
func (w *ResponseWriter) SetReadDeadline(t time.Time) error                      { panic("server") }
func (w *ResponseWriter) SetWriteDeadline(t time.Time) error                     { panic("server") }

// Hijack takes the connection over: the caller owns it, with what was read ahead in rw's reader. Nothing of w and r works afterwards.
func (w *ResponseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { panic("server") }
