package http3

import (
	"fmt"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// sectionFields encodes the fields of a section, and counts their size as RFC 9114 §4.2.2 does. It implements carrier.Fields.
type sectionFields struct{ size uint64 }

// fieldOverhead is what a field counts beside its name and value.
const fieldOverhead = 32

// AppendStatus implements carrier.Fields.
func (f *sectionFields) AppendStatus(dst []byte, status int) []byte {
	f.size += uint64(len(":status") + len("200") + fieldOverhead)
	return qpack.Encoder{}.AppendStatus(dst, status)
}

// AppendField implements carrier.Fields.
func (f *sectionFields) AppendField(dst []byte, name, value string) []byte {
	f.size += uint64(len(name) + len(value) + fieldOverhead)
	return qpack.Encoder{}.AppendField(dst, name, value)
}

// AppendFieldBytes implements carrier.Fields.
func (f *sectionFields) AppendFieldBytes(dst, name, value []byte) []byte {
	f.size += uint64(len(name) + len(value) + fieldOverhead)
	return qpack.Encoder{}.AppendFieldBytes(dst, name, value)
}

// appendSection appends a HEADERS frame with the section s, encoded by f, which has its size then. The frame's length is written into
// two bytes, where it fits.
func appendSection(dst []byte, f *sectionFields, s carrier.Section) []byte {
	f.size = 0
	dst = h3frame.AppendVarint(dst, uint64(h3frame.Headers))
	at := len(dst)
	dst = qpack.Encoder{}.AppendPrefix(append(dst, 0, 0))
	dst = s.AppendTo(f, dst)
	n := len(dst) - at - 2
	if n < 1<<14 {
		dst[at], dst[at+1] = 0x40|byte(n>>8), byte(n)
		return dst
	}
	section := append([]byte(nil), dst[at+2:]...)
	return append(h3frame.AppendVarint(dst[:at], uint64(n)), section...)
}

// tooLarge is the error of a section that is larger than the peer takes (RFC 9114 §4.2.2). It was not sent.
type tooLarge struct {
	what       string // "request fields"
	peer       string // "server"
	size, most uint64
}

// Error returns the sizes and the rule.
func (e *tooLarge) Error() string {
	return fmt.Sprintf("http3: %s of %d bytes, of which the %s takes %d (SETTINGS_MAX_FIELD_SECTION_SIZE, RFC 9114 §4.2.2)", e.what, e.size, e.peer, e.most)
}

// Blame returns shockwave.Local: this side would have broken the rule.
func (e *tooLarge) Blame() shockwave.Blame { return shockwave.Local }

// Reference returns the rule.
func (e *tooLarge) Reference() string { return "RFC 9114 §4.2.2" }

// checkSize checks that the client takes the section that w.fields has encoded last, if it has said so already. The caller must hold
// w.mu.
func (m *stream) checkSize() error {
	size, most := m.writer.fields.size, m.k.mostFields.Load()
	if size <= most {
		return nil
	}
	err := &tooLarge{"fields of an answer", "client", size, most}
	m.s.settings.Log.Debug("http3: not sent", "err", err, "remote", m.k.qc.remoteAddr())
	return err
}

// checkSize checks that the server takes a section of this size, if it has said so already.
func (k *clientConn) checkSize(what string, size uint64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.settled && size > k.settings.MaxFieldSection {
		return &tooLarge{what, "server", size, k.settings.MaxFieldSection}
	}
	return nil
}
