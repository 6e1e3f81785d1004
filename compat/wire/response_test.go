package wire

import (
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// exchange is a request and its response, of whichever kind of handler.
type exchange struct {
	path      string
	query     url.Values
	in        io.Reader
	out       io.Writer
	setLength func(n int64)
	duplex    func()
	upgrade   func(cfg websocket.Config) (*websocket.Conn, error)
}

func (s *site) respondNative(w *server.ResponseWriter, r *server.Request) {
	query, _ := url.ParseQuery(string(r.Query()))
	s.respond(&exchange{
		path: string(r.Path()), query: query, in: r, out: w, setLength: w.SetContentLength, duplex: w.EnableFullDuplex,
		upgrade: func(cfg websocket.Config) (*websocket.Conn, error) { return websocket.Upgrade(w, r, cfg) },
	})
}

func (s *site) respondNetHTTP(w http.ResponseWriter, r *http.Request) {
	s.respond(&exchange{
		path: r.URL.Path, query: r.URL.Query(), in: r.Body, out: w,
		setLength: func(n int64) { w.Header().Set("Content-Length", strconv.FormatInt(n, 10)) },
		duplex:    func() { http.NewResponseController(w).EnableFullDuplex() },
		upgrade:   func(cfg websocket.Config) (*websocket.Conn, error) { return websocket.Accept(w, r, cfg) },
	})
}

// number returns what the query says of name.
func (x *exchange) number(name string) int64 {
	n, _ := strconv.ParseInt(x.query.Get(name), 10, 64)
	return n
}

// respond does what the path says. Those that last until something breaks tell the test how they ended.
func (s *site) respond(x *exchange) {
	number, size := uint64(x.number("number")), x.number("size")
	switch x.path {
	case "/length":
		x.setLength(size)
		io.Copy(x.out, content(number, size))
	case "/chunks":
		copyRaggedly(x.out, content(number, size), int(1000+number%7000))
	case "/sum":
		text, err := sum(x.in)
		if err != nil {
			text += " " + err.Error()
		}
		io.WriteString(x.out, text)
	case "/echo":
		x.duplex()
		copyRaggedly(x.out, x.in, 5000)
	case "/take", "/give", "/both":
		s.last(x)
	case "/messages":
		s.converse(x)
	}
}

// last goes on until something breaks.
func (s *site) last(x *exchange) {
	s.begun <- struct{}{}
	var err error
	switch x.path {
	case "/take":
		_, err = io.Copy(io.Discard, x.in)
	case "/give":
		_, err = io.Copy(x.out, forever{})
	case "/both":
		x.duplex()
		err = copyRaggedly(x.out, x.in, 5000)
	}
	s.ends <- err
	panic(http.ErrAbortHandler) // no response is whole that was to last
}

// copyRaggedly copies in pieces of size, whatever the ends would rather do.
func copyRaggedly(dst io.Writer, src io.Reader, size int) error {
	_, err := io.CopyBuffer(struct{ io.Writer }{dst}, struct{ io.Reader }{src}, make([]byte, size))
	return err
}

// forever is a body without an end.
type forever struct{}

func (forever) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
