package h2talk

import (
	"fmt"

	"golang.org/x/net/http2"
)

// Describe returns a frame as text: its type, its stream, its content and how it ends.
//
//	HEADERS 1 200 content-length=5
//	DATA 1 "hello" END
//	PING ee ack
func Describe(f http2.Frame) string {
	h := f.Header()
	s := h.Type.String()
	if h.StreamID != 0 {
		s += fmt.Sprintf(" %d", h.StreamID)
	}
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		for _, l := range f.Fields {
			if l.Name == ":status" {
				s += " " + l.Value
			} else {
				s += " " + l.Name + "=" + l.Value
			}
		}
	case *http2.DataFrame:
		if b := f.Data(); len(b) > 64 {
			s += fmt.Sprintf(" %d bytes", len(b))
		} else {
			s += fmt.Sprintf(" %q", b)
		}
	case *http2.RSTStreamFrame:
		s += " " + f.ErrCode.String()
	case *http2.GoAwayFrame:
		s += fmt.Sprintf(" %d %v", f.LastStreamID, f.ErrCode)
	case *http2.WindowUpdateFrame:
		s += fmt.Sprintf(" +%d", f.Increment)
	case *http2.PingFrame:
		s += fmt.Sprintf(" %x", f.Data[7:])
	}
	switch {
	case h.Type == http2.FrameData || h.Type == http2.FrameHeaders:
		if h.Flags&http2.FlagDataEndStream != 0 {
			s += " END"
		}
	case h.Flags&http2.FlagPingAck != 0:
		s += " ack"
	}
	return s
}
