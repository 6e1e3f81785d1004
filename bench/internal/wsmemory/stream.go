package wsmemory

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"time"
)

// stream is a server's connection without a network. Reads return the same frame of a client a number of times, and then
// io.EOF; they block until started is closed. Writes are counted, and their bytes are stored if keep is set.
type stream struct {
	started chan struct{}
	frames  []byte // the frame, repeated piled times
	at      int    // offset of the next byte in frames
	left    int    // bytes that can still be read

	keep    bool
	got     []byte
	written int // bytes written
	writes  int // calls of Write
}

// newStream returns a stream of n frames; n must be a multiple of piled.
func newStream(frame []byte, n int) *stream {
	s := &stream{started: make(chan struct{}), left: n * len(frame)}
	for range piled {
		s.frames = append(s.frames, frame...)
	}
	return s
}

// piled is how many frames a stream stores.
const piled = 32

func (s *stream) Read(p []byte) (int, error) {
	<-s.started
	if s.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.frames[s.at:min(len(s.frames), s.at+s.left)])
	s.left -= n
	if s.at += n; s.at == len(s.frames) {
		s.at = 0
	}
	return n, nil
}

func (s *stream) Write(p []byte) (int, error) {
	if s.keep {
		s.got = append(s.got, p...)
	}
	s.written += len(p)
	s.writes++
	return len(p), nil
}

func (s *stream) Close() error                     { return nil }
func (s *stream) LocalAddr() net.Addr              { return new(net.TCPAddr) }
func (s *stream) RemoteAddr() net.Addr             { return new(net.TCPAddr) }
func (s *stream) SetDeadline(time.Time) error      { return nil }
func (s *stream) SetReadDeadline(time.Time) error  { return nil }
func (s *stream) SetWriteDeadline(time.Time) error { return nil }

// response is the http.ResponseWriter of a handshake on a stream.
type response struct {
	nc     net.Conn
	header http.Header
}

func (a *response) Header() http.Header         { return a.header }
func (a *response) Write(p []byte) (int, error) { return len(p), nil }
func (a *response) WriteHeader(int)             {}

func (a *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return a.nc, bufio.NewReadWriter(bufio.NewReader(a.nc), bufio.NewWriter(a.nc)), nil
}

// handshake returns a client's request, and a ResponseWriter for the response on s.
func (s *stream) handshake() (http.ResponseWriter, *http.Request) {
	r := &http.Request{
		Method: http.MethodGet, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "bench", RequestURI: "/",
		Header: http.Header{
			"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
			"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
		},
	}
	return &response{s, http.Header{}}, r
}
