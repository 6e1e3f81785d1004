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

// The number of streams that a client opens at once before it has the server's SETTINGS, and if those name no limit. RFC
// 9113 §6.5.2 sets no limit then, and recommends that servers allow at least 100.
const (
	initialStreams   = 100
	unboundedStreams = 1000
)

// PeerSettings are the settings of the peer that its owner may want to know.
type PeerSettings struct {
	MaxStreams      uint32 // how many streams a client may have open at once
	MaxHeaderList   uint32 // the largest header section that the peer accepts, counted as Config.MaxHeaderList is
	ConnectProtocol bool   // the server supports extended CONNECT (RFC 8441 §3)
}

// peerSettings are the settings of the peer.
type peerSettings struct {
	PeerSettings
	limitsStreams bool // the peer has sent MAX_CONCURRENT_STREAMS
	window        int32
	frameSize     uint32
	table         tableSizes
}

// tableSizes are the sizes of the encoder's table that the peer has sent.
type tableSizes struct {
	size    uint32
	least   uint32 // since the last header section that we have sent
	pending bool   // there was one since then
	changed bool   // there was one ever
	told    bool   // an encoder may have announced another size than the one that HTTP/2 begins with
}

// ownSettings are what became of our SETTINGS.
type ownSettings struct {
	acked  bool // the peer has acknowledged them
	sentAt int64
}

// due returns when they must have been acknowledged, 0 for never.
func (o *ownSettings) due(cfg *Config) int64 {
	if o.acked || cfg.SettingsTimeout <= 0 {
		return 0
	}
	return o.sentAt + cfg.SettingsTimeout
}

var defaultPeerSettings = peerSettings{
	PeerSettings: PeerSettings{MaxStreams: initialStreams, MaxHeaderList: 1<<32 - 1},
	window:       defaultWindow, frameSize: minFrameSize, table: tableSizes{size: defaultTableSize},
}

// set records a new size.
func (t *tableSizes) set(n uint32) {
	if !t.pending {
		t.least = n
	}
	t.size, t.least, t.pending, t.changed = n, min(t.least, n), true, true
}

func appendSetting(dst []byte, id uint16, value uint32) []byte {
	dst = binary.BigEndian.AppendUint16(dst, id)
	return binary.BigEndian.AppendUint32(dst, value)
}

// appendSettings appends our SETTINGS. Settings with the protocol's default value are left out.
func appendSettings(dst []byte, cfg *Config, client bool) []byte {
	start := len(dst)
	dst = FrameHeader{Type: FrameSettings}.Append(dst)
	if client {
		dst = appendSetting(dst, settingPush, 0)
	} else {
		dst = appendSetting(dst, settingMaxStreams, cfg.MaxStreams)
		if cfg.ConnectProtocol {
			dst = appendSetting(dst, settingConnect, 1)
		}
	}
	if cfg.DecoderTable != defaultTableSize {
		dst = appendSetting(dst, settingTableSize, cfg.DecoderTable)
	}
	if cfg.InitialWindow != defaultWindow {
		dst = appendSetting(dst, settingWindow, cfg.InitialWindow)
	}
	if cfg.MaxFrameSize != minFrameSize {
		dst = appendSetting(dst, settingFrameSize, cfg.MaxFrameSize)
	}
	dst = appendSetting(dst, settingListSize, cfg.MaxHeaderList)
	dst = appendSetting(dst, settingNoLegacy, 1)
	dst[start+2] = byte(len(dst) - start - FrameHeaderLen)
	return dst
}
