package behaviour

import (
	"bytes"
	"net"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Session is the client's end of a connection of HTTP/2. Three goroutines serve it: one reads frames, one sends what is
// in out, and one makes requests of what the row says (h2_words_test.go). They end with the connection.
type h2Session struct {
	s    *scene
	conn net.Conn

	mu      sync.Mutex
	changed sync.Cond
	begun   bool // the goroutines run
	out     bytes.Buffer
	frames  *http2.Framer // writes to out; under mu
	block   bytes.Buffer
	fields  *hpack.Encoder // into block

	streams []*h2Stream // the requests, in their order
	heard   int         // so many of them have been answered, and the answers been noted
	room    int64       // what the connection may still be sent of bodies
	initial int64       // and a new stream
	pings   int
	pongs   int   // that have answered them
	bye     bool  // the server has said GOAWAY
	err     error // how the connection has ended

	words h2Words
}

// h2Stream is a request and its answer.
type h2Stream struct {
	id      uint32
	room    int64
	heads   [][]hpack.HeaderField
	body    []byte
	owed    int // bytes that came and were not given back to the windows
	hearing bool
	ended   bool
	reset   *http2.ErrCode
	lost    bool // the server has said that it will not answer it
}

func newH2Session(s *scene, c net.Conn) *h2Session {
	h := &h2Session{s: s, conn: c, room: 65535, initial: 65535}
	h.changed.L = &h.mu
	h.frames = http2.NewFramer(&h.out, nil)
	h.frames.AllowIllegalWrites = true
	h.fields = hpack.NewEncoder(&h.block)
	return h
}

// begin sends the preface, if that was not done. The lock is held.
func (h *h2Session) begin() {
	if h.begun {
		return
	}
	h.begun = true
	h.out.WriteString(http2.ClientPreface)
	h.frames.WriteSettings()
	go h.read()
	go h.send()
	go h.speak()
}

// send sends what is in out.
func (h *h2Session) send() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		for h.out.Len() == 0 && h.err == nil {
			h.changed.Wait()
		}
		if h.err != nil {
			return
		}
		b := bytes.Clone(h.out.Bytes())
		h.out.Reset()
		h.mu.Unlock()
		h.conn.Write(b) // what fails is seen by who reads
		h.mu.Lock()
	}
}

func (h *h2Session) read() {
	in := http2.NewFramer(nil, h.conn)
	in.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	in.MaxHeaderListSize = 1 << 20
	for {
		f, err := in.ReadFrame()
		h.mu.Lock()
		if err != nil {
			h.err = err
			h.changed.Broadcast()
			h.mu.Unlock()
			return
		}
		h.take(f)
		h.changed.Broadcast()
		h.mu.Unlock()
	}
}

// take does what a frame says. The lock is held.
func (h *h2Session) take(f http2.Frame) {
	s := h.stream(f.Header().StreamID)
	switch f := f.(type) {
	case *http2.SettingsFrame:
		if !f.IsAck() {
			h.settings(f)
		}
	case *http2.PingFrame:
		if f.IsAck() {
			h.pongs++
		} else {
			h.frames.WritePing(true, f.Data)
		}
	case *http2.GoAwayFrame:
		h.bye = true
		for i, s := range h.streams {
			s.lost = uint32(2*i+1) > f.LastStreamID
		}
	case *http2.WindowUpdateFrame:
		if s != nil {
			s.room += int64(f.Increment)
		} else if f.StreamID == 0 {
			h.room += int64(f.Increment)
		}
	case *http2.MetaHeadersFrame:
		if s != nil {
			s.heads = append(s.heads, f.Fields)
			s.ended = f.StreamEnded()
		}
	case *http2.DataFrame:
		if s != nil {
			s.body = append(s.body, f.Data()...)
			s.owed += int(f.Length)
			s.ended = f.StreamEnded()
			h.giveBack(s)
		}
	case *http2.RSTStreamFrame:
		if s != nil {
			s.reset = &f.ErrCode
		}
	}
}

func (h *h2Session) settings(f *http2.SettingsFrame) {
	if size, ok := f.Value(http2.SettingInitialWindowSize); ok {
		for _, s := range h.streams {
			s.room += int64(size) - h.initial
		}
		h.initial = int64(size)
	}
	h.frames.WriteSettingsAck()
}

// giveBack opens the windows for an answer that somebody hears: of others the client reads no more than fits.
func (h *h2Session) giveBack(s *h2Stream) {
	if s.hearing && s.owed > 0 {
		h.frames.WriteWindowUpdate(0, uint32(s.owed))
		h.frames.WriteWindowUpdate(s.id, uint32(s.owed))
		s.owed = 0
	}
}

func (h *h2Session) stream(id uint32) *h2Stream {
	if n := int(id-1) / 2; id%2 == 1 && n < len(h.streams) {
		return h.streams[n]
	}
	return nil
}

// headers opens a stream with these fields. The lock is held.
func (h *h2Session) headers(fields []hpack.HeaderField, end bool) *h2Stream {
	s := &h2Stream{id: uint32(2*len(h.streams) + 1), room: h.initial}
	h.streams = append(h.streams, s)
	h.section(s, fields, end)
	return s
}

// section writes a header section or trailers, in as many frames as it takes.
func (h *h2Session) section(s *h2Stream, fields []hpack.HeaderField, end bool) {
	h.block.Reset()
	for _, f := range fields {
		h.fields.WriteField(f)
	}
	const most = 16 << 10
	first := true
	for b := h.block.Bytes(); first || len(b) > 0; first = false {
		part := b[:min(most, len(b))]
		b = b[len(part):]
		if first {
			h.frames.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: part, EndStream: end, EndHeaders: len(b) == 0})
		} else {
			h.frames.WriteContinuation(s.id, len(b) == 0, part)
		}
	}
	h.changed.Broadcast()
}

// data sends a part of a body as the windows open. The lock is held, but while it waits.
func (h *h2Session) data(s *h2Stream, b []byte, end bool) {
	for {
		for len(b) > 0 && min(h.room, s.room) <= 0 && h.err == nil && s.reset == nil {
			h.changed.Wait()
		}
		if h.err != nil || s.reset != nil {
			return
		}
		n := min(int64(len(b)), 16<<10, max(h.room, 0), max(s.room, 0))
		part := b[:n]
		b = b[n:]
		h.room, s.room = h.room-n, s.room-n
		h.frames.WriteData(s.id, end && len(b) == 0, part)
		h.changed.Broadcast()
		if len(b) == 0 {
			return
		}
	}
}
