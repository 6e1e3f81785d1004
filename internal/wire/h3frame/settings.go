package h3frame

// Setting is the identifier of a setting (RFC 9114 §7.2.4.1).
type Setting uint64

// The settings.
const (
	QPACKMaxTableCapacity Setting = 0x01 // RFC 9204 §5
	MaxFieldSectionSize   Setting = 0x06
	QPACKBlockedStreams   Setting = 0x07
	EnableConnectProtocol Setting = 0x08 // RFC 9220 §3
	H3Datagram            Setting = 0x33 // RFC 9297 §2.1.1

	// WebTransport has a setting of its own in most drafts of draft-ietf-webtrans-http3.
	EnableWebTransport   Setting = 0x2b603742 // draft 02 to 06
	WebTransportSessions Setting = 0xc671706a // draft 07 to 12: how many sessions at once
	WebTransportLimit    Setting = 0x14e9cd29 // draft 13 and 14: likewise
	WebTransportEnabled  Setting = 0x2c7cf000 // draft 15
)

// PeerSettings are the settings that a peer has sent. Those that it has not sent have their defaults.
type PeerSettings struct {
	MaxFieldSection      uint64 // MaxVarint if there is no limit
	TableCapacity        uint64
	ConnectProtocol      bool
	Datagrams            bool
	WebTransport         bool
	WebTransportSessions uint64
}

// parseSettings reads the payload of a SETTINGS frame (RFC 9114 §7.2.4).
func parseSettings(p []byte) (s PeerSettings, err *Error) {
	s.MaxFieldSection = MaxVarint
	var seen []uint64 // a frame is short: it has at most maxControl/2 settings
	for len(p) > 0 {
		id, a := Varint(p)
		if a == 0 {
			return s, errLength
		}
		value, b := Varint(p[a:])
		if b == 0 {
			return s, errLength
		}
		p = p[a+b:]
		for _, other := range seen {
			if id == other {
				return s, errSettingTwice
			}
		}
		if len(seen) < maxSettings {
			seen = append(seen, id)
		}
		if err := s.set(Setting(id), value); err != nil {
			return s, err
		}
	}
	return s, nil
}

// maxSettings is how many settings are held against each other. There are hardly twenty.
const maxSettings = 64

// set notes one setting.
func (s *PeerSettings) set(id Setting, value uint64) *Error {
	switch id {
	case 0x00, 0x02, 0x03, 0x04, 0x05: // RFC 9114 §11.2.2
		return errSettingHTTP2
	case QPACKMaxTableCapacity:
		s.TableCapacity = value
	case MaxFieldSectionSize:
		s.MaxFieldSection = value
	case EnableConnectProtocol:
		return setBool(&s.ConnectProtocol, value)
	case H3Datagram:
		return setBool(&s.Datagrams, value)
	case EnableWebTransport:
		return setBool(&s.WebTransport, value)
	case WebTransportSessions:
		s.WebTransportSessions = value
	}
	return nil
}

func setBool(to *bool, value uint64) *Error {
	if value > 1 {
		return errSettingBool
	}
	*to = value == 1
	return nil
}

// SettingValue is a setting with its value.
type SettingValue struct {
	ID    Setting
	Value uint64
}

// AppendSettings appends a SETTINGS frame.
func AppendSettings(dst []byte, settings ...SettingValue) []byte {
	var p []byte
	for _, s := range settings {
		p = AppendVarint(AppendVarint(p, uint64(s.ID)), s.Value)
	}
	return append(AppendHeader(dst, Settings, uint64(len(p))), p...)
}
