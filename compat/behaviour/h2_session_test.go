package behaviour

import (
	"bytes"
	"net"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Wire is the wire of a session of HTTP/2. Two goroutines serve it: one reads frames, one sends what is in out. They end with the
// connection. What follows conn is guarded by the session's lock.
type h2Wire struct {
	*session
	conn net.Conn

	out    bytes.Buffer
	frames *http2.Framer // writes to out
	block  bytes.Buffer
	fields *hpack.Encoder // into block

	room    int64 // what the connection may still be sent of bodies
	initial int64 // and a new stream
	pings   int
	pongs   int // that have answered them
}

// h2Stream is what a request of HTTP/2 has besides.
type h2Stream struct {
	id   uint32
	room int64
	owed int // bytes that came and were not given back to the windows
}

func newH2Session(s *scene, c net.Conn) *session {
	w := &h2Wire{conn: c, room: 65535, initial: 65535}
	w.session = newSession(s, w)
	w.frames = http2.NewFramer(&w.out, nil)
	w.frames.AllowIllegalWrites = true
	w.fields = hpack.NewEncoder(&w.block)
	return w.session
}

// greet implements wire.
func (h *h2Wire) greet() {
	h.out.WriteString(http2.ClientPreface)
	h.frames.WriteSettings()
	go h.read()
	go h.send()
}

// close implements wire.
func (h *h2Wire) close() { h.conn.Close() }

// lives implements wire. The answer to a ping arrives after everything that the server sent with an earlier response.
func (h *h2Wire) lives() bool {
	h.frames.WritePing(false, [8]byte{'h'})
	h.pings++
	h.changed.Broadcast()
	for mine := h.pings; h.pongs < mine && h.err == nil; {
		h.changed.Wait()
	}
	return h.err == nil && !h.bye
}

// send sends what is in out.
func (h *h2Wire) send() {
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

func (h *h2Wire) read() {
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

// take handles a frame. The lock is held.
func (h *h2Wire) take(f http2.Frame) {
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
			s.h2.room += int64(f.Increment)
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
			s.h2.owed += int(f.Length)
			s.ended = f.StreamEnded()
			h.giveBack(s)
		}
	case *http2.RSTStreamFrame:
		if s != nil {
			s.reset = f.ErrCode.String()
		}
	}
}

func (h *h2Wire) settings(f *http2.SettingsFrame) {
	if size, ok := f.Value(http2.SettingInitialWindowSize); ok {
		for _, s := range h.streams {
			s.h2.room += int64(size) - h.initial
		}
		h.initial = int64(size)
	}
	h.frames.WriteSettingsAck()
}

// giveBack implements wire: it opens the windows for a response that a test reads.
func (h *h2Wire) giveBack(s *exchange) {
	if s.hearing && s.h2.owed > 0 {
		h.frames.WriteWindowUpdate(0, uint32(s.h2.owed))
		h.frames.WriteWindowUpdate(s.h2.id, uint32(s.h2.owed))
		s.h2.owed = 0
	}
}

func (h *h2Wire) stream(id uint32) *exchange {
	if n := int(id-1) / 2; id%2 == 1 && n < len(h.streams) {
		return h.streams[n]
	}
	return nil
}

// open implements wire.
func (h *h2Wire) open(s *exchange, fields []hpack.HeaderField, end bool) {
	s.h2 = h2Stream{id: uint32(2*len(h.streams) - 1), room: h.initial}
	h.section(s, fields, end)
}

// cancel implements wire.
func (h *h2Wire) cancel(s *exchange) { h.frames.WriteRSTStream(s.h2.id, http2.ErrCodeCancel) }

// section implements wire: it writes as many frames as it takes.
func (h *h2Wire) section(s *exchange, fields []hpack.HeaderField, end bool) {
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
			h.frames.WriteHeaders(http2.HeadersFrameParam{StreamID: s.h2.id, BlockFragment: part, EndStream: end, EndHeaders: len(b) == 0})
		} else {
			h.frames.WriteContinuation(s.h2.id, len(b) == 0, part)
		}
	}
	h.changed.Broadcast()
}

// data implements wire: it sends as the windows open.
func (h *h2Wire) data(s *exchange, b []byte, end bool) {
	for {
		for len(b) > 0 && min(h.room, s.h2.room) <= 0 && h.err == nil && s.reset == "" {
			h.changed.Wait()
		}
		if h.err != nil || s.reset != "" {
			return
		}
		n := min(int64(len(b)), 16<<10, max(h.room, 0), max(s.h2.room, 0))
		part := b[:n]
		b = b[n:]
		h.room, s.h2.room = h.room-n, s.h2.room-n
		h.frames.WriteData(s.h2.id, end && len(b) == 0, part)
		h.changed.Broadcast()
		if len(b) == 0 {
			return
		}
	}
}
