package http2

import "github.com/shockwave-go/shockwave/hpack"

// sender appends header sections. It is a part of the workspace: between two messages nothing of it is needed.
type sender struct {
	*core
	encoder hpack.Encoder
	encodes bool    // the encoder was initialized for this connection: it has sent a header section
	stream  *Stream // of the header section that is being appended; nil if there is none
	start   int     // position of its HEADERS frame
}

// begin begins a header section.
func (w *sender) begin(dst []byte, s *Stream) []byte {
	dst = w.appendPending(dst)
	if w.err != nil || !s.phase.maySend() && s.phase != phaseIdle {
		return dst
	}
	if s.phase == phaseIdle {
		w.streams.enter(s, phaseOpen)
		w.streams.opening = false
	}
	w.stream, w.start = s, len(dst)
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
