package http2

import "encoding/binary"

// Identifiers of settings (RFC 9113 §6.5.2, RFC 8441 §3, RFC 9218 §2.1).
const (
	settingTableSize  = 0x1
	settingPush       = 0x2
	settingMaxStreams = 0x3
	settingWindow     = 0x4
	settingFrameSize  = 0x5
	settingListSize   = 0x6
	settingConnect    = 0x8
	settingNoLegacy   = 0x9
)

const settingLen = 6 // bytes of a setting

// peerSettings are the settings of the peer.
type peerSettings struct {
	maxStreams uint32
	window     int32
	frameSize  uint32
	listSize   uint32
	tableSize  uint32
	connect    bool
}

func appendSetting(dst []byte, id uint16, value uint32) []byte {
	dst = binary.BigEndian.AppendUint16(dst, id)
	return binary.BigEndian.AppendUint32(dst, value)
}

// appendSettings appends our SETTINGS. Settings with the protocol's default value are left out.
func (c *Conn) appendSettings(dst []byte) []byte {
	start := len(dst)
	dst = FrameHeader{Type: FrameSettings}.Append(dst)
	if c.client {
		dst = appendSetting(dst, settingPush, 0)
	} else {
		dst = appendSetting(dst, settingMaxStreams, c.cfg.MaxStreams)
		if c.cfg.ConnectProtocol {
			dst = appendSetting(dst, settingConnect, 1)
		}
	}
	if c.cfg.DecoderTable != defaultTableSize {
		dst = appendSetting(dst, settingTableSize, c.cfg.DecoderTable)
	}
	if c.cfg.InitialWindow != defaultWindow {
		dst = appendSetting(dst, settingWindow, c.cfg.InitialWindow)
	}
	if c.cfg.MaxFrameSize != minFrameSize {
		dst = appendSetting(dst, settingFrameSize, c.cfg.MaxFrameSize)
	}
	dst = appendSetting(dst, settingListSize, c.cfg.MaxHeaderList)
	dst = appendSetting(dst, settingNoLegacy, 1)
	dst[start+2] = byte(len(dst) - start - FrameHeaderLen)
	return dst
}

// applySetting applies one setting of the peer. Unknown settings are ignored (RFC 9113 §6.5.2).
func (c *Conn) applySetting(id uint16, v uint32) *Error {
	switch id {
	case settingTableSize:
		c.limitEncoder(v)
	case settingPush:
		// RFC 9113 §6.5.2: a client must take any value but 0 from a server for an error.
		if v > 1 || c.client && v != 0 {
			return errSettingPush
		}
	case settingMaxStreams:
		c.peer.maxStreams = v
		c.state |= connGotMaxStreams
	case settingWindow:
		return c.applyWindow(v)
	case settingFrameSize:
		if v < minFrameSize || v > maxFrameSize {
			return errSettingFrame
		}
		c.peer.frameSize = v
	case settingListSize:
		c.peer.listSize = v
	case settingConnect:
		// RFC 8441 §3: a sender must not send 0 after it has sent 1.
		if v > 1 || v == 0 && c.peer.connect {
			return errSettingConnect
		}
		c.peer.connect = v == 1
	case settingNoLegacy:
		if v > 1 {
			return errSettingLegacy
		}
		if v == 1 {
			c.sched.peerSignals = true
		}
	}
	return nil
}

// applyWindow changes the send windows of all streams (RFC 9113 §6.9.2), which can become negative.
func (c *Conn) applyWindow(v uint32) *Error {
	if v > maxWindow {
		return errSettingWindow
	}
	delta := int64(v) - int64(c.peer.window)
	if delta == 0 {
		return nil
	}
	c.peer.window = int32(v)
	c.charge(c.streams.n / 16)
	overflow := false
	c.streams.each(func(s *Stream) bool {
		if w := int64(s.sendWin) + delta; w <= maxWindow {
			s.sendWin = int32(w)
			c.requeue(s)
		} else if s.state != StateClosed {
			overflow = true
		}
		return !overflow
	})
	if overflow {
		return errWindowOverflow
	}
	return nil
}

// acknowledged applies our settings: the peer has received them (RFC 9113 §6.5.3).
func (c *Conn) acknowledged() {
	c.sampleRTT(c.now - c.settingsSent)
	c.rttNext = c.now + rttEvery
	c.settingsDue = 0
	c.limitDecoder(c.cfg.DecoderTable)
	if c.cfg.InitialWindow >= defaultWindow {
		return
	}
	// Until now the peer may have used the protocol's default window.
	c.streams.each(func(s *Stream) bool {
		s.recvWin -= defaultWindow - int32(c.cfg.InitialWindow)
		return true
	})
}
