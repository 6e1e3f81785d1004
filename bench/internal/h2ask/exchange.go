package h2ask

import (
	"fmt"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// exchange is a request in flight and the part of the response that has been received.
type exchange struct {
	*Conn
	id         uint32
	sendWindow int64 // the stream's send window, in bytes
	reply      *Reply
	over       bool
}

// send sends the body as the windows allow.
func (x *exchange) send(body []byte) error {
	for len(body) > 0 {
		n := min(int64(len(body)), int64(x.frameSize), x.sendWindow, x.Conn.sendWindow)
		if n <= 0 {
			if err := x.readFrame(); err != nil {
				return err
			}
			if x.over {
				return errEnded
			}
			continue
		}
		if err := x.framer.WriteData(x.id, n == int64(len(body)), body[:n]); err != nil {
			return err
		}
		body = body[n:]
		x.sendWindow -= n
		x.Conn.sendWindow -= n
	}
	return nil
}

// readFrame reads a frame and handles it.
func (x *exchange) readFrame() error {
	f, err := x.framer.ReadFrame()
	if err != nil {
		return err
	}
	switch f := f.(type) {
	case *http2.SettingsFrame:
		return x.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return x.framer.WritePing(true, f.Data)
		}
	case *http2.WindowUpdateFrame:
		if f.StreamID == 0 {
			x.Conn.sendWindow += int64(f.Increment)
		} else if f.StreamID == x.id {
			x.sendWindow += int64(f.Increment)
		}
	case *http2.GoAwayFrame:
		return fmt.Errorf("GOAWAY from the server: %v %s", f.ErrCode, f.DebugData())
	case *http2.RSTStreamFrame:
		return fmt.Errorf("the server resets stream %d: %v", f.StreamID, f.ErrCode)
	case *http2.MetaHeadersFrame:
		x.headers(f)
	case *http2.DataFrame:
		x.reply.Body = append(x.reply.Body, f.Data()...)
		x.over = f.StreamEnded()
	}
	return nil
}

func (x *exchange) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	f.ForeachSetting(func(s http2.Setting) error {
		switch s.ID {
		case http2.SettingInitialWindowSize:
			x.sendWindow += int64(s.Val) - x.initialSendWindow // RFC 9113 §6.9.2
			x.initialSendWindow = int64(s.Val)
		case http2.SettingMaxFrameSize:
			x.frameSize = int(s.Val)
		}
		return nil
	})
	return x.framer.WriteSettingsAck()
}

func (x *exchange) headers(f *http2.MetaHeadersFrame) {
	h := header(f.Fields)
	if x.reply.Header == nil {
		x.reply.Header = h
	} else {
		x.reply.Trailer = h
	}
	x.over = f.StreamEnded()
}

func header(fields []hpack.HeaderField) Fields {
	h := Fields{}
	for _, f := range fields {
		h[f.Name] = append(h[f.Name], f.Value)
	}
	return h
}
