package http2

import "encoding/binary"

func (r *receiver) beginSettings(h FrameHeader) {
	if h.Flags&FlagAck == 0 {
		r.charge(costSettings + int32(h.Length/(settingsPerUnit*settingLen)))
	}
}

func (r *receiver) recvSettings(p []byte) {
	for ; len(p) > 0 && r.err == nil; p = p[settingLen:] {
		id, v := binary.BigEndian.Uint16(p), binary.BigEndian.Uint32(p[2:])
		if err := r.applySetting(id, v); err != nil {
			r.fail(err)
		}
	}
}

// endSettings acknowledges the peer's SETTINGS, which have been applied by now (RFC 9113 §6.5.3), or handles the
// acknowledgement of ours.
func (r *receiver) endSettings(ev *Event) {
	if r.frame.flags&FlagAck == 0 {
		if !r.peer.limitsStreams {
			r.peer.MaxStreams = unboundedStreams
		}
		if r.reserve(FrameHeaderLen) {
			r.out = FrameHeader{Type: FrameSettings, Flags: FlagAck}.Append(r.out)
			*ev = Event{Kind: EventSettings}
		}
		return
	}
	if r.own.acked {
		r.charge(costSettings) // acknowledges nothing
		return
	}
	r.acknowledged()
	r.limitDecoder(r.cfg.DecoderTable)
	*ev = Event{Kind: EventSettingsAck}
}
