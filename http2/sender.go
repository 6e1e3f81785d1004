package http2

import "github.com/shockwave-go/shockwave/hpack"

// sender appends header sections. It is a part of the workspace: between two messages nothing of it is needed.
type sender struct {
	*core
	encoder hpack.Encoder
	encodes bool    // the encoder was initialized for this connection: it has sent a header section
	stream  *Stream // of the header section that is being appended; nil if there is none
	start   int     // position of its HEADERS frame
	size    uint32  // of its fields, counted as in RFC 9113 §6.5.2
	opens   bool    // it opens the stream
}

// fieldOverhead is what a field counts beside its name and value (RFC 9113 §6.5.2).
const fieldOverhead = 32

// begin begins a header section.
func (w *sender) begin(dst []byte, s *Stream) []byte {
	dst = w.appendPending(dst)
	if w.err != nil || !s.phase.maySend() && s.phase != phaseIdle {
		return dst
	}
	if w.opens = s.phase == phaseIdle; w.opens {
		w.streams.enter(s, phaseOpen)
		w.streams.opening = false
	}
	w.stream, w.start, w.size = s, len(dst), 0
	dst = FrameHeader{Type: FrameHeaders, Stream: s.id}.Append(dst)
	if !w.encodes || w.peer.table.pending {
		dst = w.limitTable(dst)
	}
	return dst
}

// limitTable applies the table sizes that the peer has sent to the encoder. An encoder that takes the place of another
// announces its size, if the other one may have announced a different one.
func (w *sender) limitTable(dst []byte) []byte {
	t := &w.peer.table
	first := !w.encodes
	if first {
		w.encodes = true
		w.encoder.TableLimit = int(w.cfg.EncoderTable)
	}
	if t.pending {
		w.encoder.SetMaxTableSize(int(t.least))
		t.pending = false
	}
	w.encoder.SetMaxTableSize(int(t.size))
	if first && t.told {
		dst = w.encoder.AppendTableSize(dst)
	}
	return dst
}

// add appends a field.
func (w *sender) add(dst, name, value []byte, sensitive bool) []byte {
	w.size += uint32(len(name) + len(value) + fieldOverhead)
	return w.encoder.AppendLine(dst, name, value, sensitive)
}

// note records the method of a request if the response to it is read differently.
func (w *sender) note(name, value string) {
	if !w.client || name != ":method" {
		return
	}
	switch value {
	case "HEAD":
		w.stream.method = methodHead
	case "CONNECT":
		w.stream.method = methodConnect
	}
}

// drop takes the header section back. The encoder begins again: what it has put into its table is not in the peer's.
func (w *sender) drop(dst []byte) []byte {
	s := w.stream
	w.stream = nil
	if w.opens {
		s.method = methodOther
		w.streams.enter(s, phaseIdle)
		w.streams.opening = true
	}
	w.encoder.Reset()
	w.encodes, w.peer.table.told = false, true
	return dst[:w.start]
}

// end ends the header section.
func (w *sender) end(dst []byte, endStream bool) []byte {
	s := w.stream
	w.stream = nil
	flags := Flags(0)
	if endStream {
		flags = FlagEndStream
	}
	w.debts.noteFrame()
	dst = frameBlock(dst, w.start, s.id, flags, int(w.peer.frameSize))
	if endStream {
		w.endOutbound(s)
	}
	return dst
}
