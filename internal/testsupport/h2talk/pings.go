package h2talk

import (
	"io"
	"time"

	"golang.org/x/net/http2"
)

// Pings sends n PINGs to the other end of rw, behind the preface if it is a server, and returns how many it answered before
// it ended the connection, or n. Each side's SETTINGS are acknowledged.
func Pings(rw interface {
	io.ReadWriter
	SetDeadline(time.Time) error
}, n int, toServer bool) (answered int, end http2.ErrCode, err error) {
	if err := rw.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return 0, 0, err
	}
	if toServer {
		_, err = io.WriteString(rw, http2.ClientPreface)
	} else {
		_, err = io.ReadFull(rw, make([]byte, len(http2.ClientPreface)))
	}
	if err != nil {
		return 0, 0, err
	}
	fr := http2.NewFramer(rw, rw)
	if err := fr.WriteSettings(); err != nil {
		return 0, 0, err
	}
	for sent := 0; answered < n; {
		if sent <= answered {
			_ = fr.WritePing(false, [8]byte{}) // the connection may have been closed behind a GOAWAY that is read below
			sent++
		}
		f, err := fr.ReadFrame()
		if err != nil {
			return answered, end, err
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				_ = fr.WriteSettingsAck()
			}
		case *http2.PingFrame:
			answered++
		case *http2.GoAwayFrame:
			return answered, f.ErrCode, nil
		}
	}
	return answered, 0, nil
}
