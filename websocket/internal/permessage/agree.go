package permessage

import (
	"github.com/shockwave-go/shockwave/internal/compress/deflate"
	"github.com/shockwave-go/shockwave/internal/core/budget"
)

// Choose returns a server's response to a client's Sec-WebSocket-Extensions: the first acceptable offer of
// permessage-deflate (RFC 7692 §5.1), or nil if there is none. Offers of other extensions are ignored. The error is
// ErrMalformed. memory is for what the connection keeps between messages.
func Choose(offers []string, m Mode, memory *budget.Budget) (*Params, error) {
	list, ok := parseExtensions(offers)
	if !ok {
		return nil, ErrMalformed
	}
	if m == Off {
		return nil, nil
	}
	for _, e := range list {
		if e.name != Name {
			continue
		}
		if p, ok := readDeflate(e.params, true); ok {
			p.restrict(m, memory)
			return &p, nil
		}
	}
	return nil, nil
}

// restrict turns takeover off in an offer where the Config does not want it or memory is short. A server may do that
// whatever the offer says: RFC 7692 §7.1.1.1 for its own messages, §7.1.1.2 for the client's. The windows stay as
// offered: a client keeps to the size that it announces (§7.1.2.2), and the server's must not be larger than offered
// (§7.1.2.1).
func (p *Params) restrict(m Mode, memory *budget.Budget) {
	all := m == Takeover
	p.FromServer.NoTakeover = p.FromServer.NoTakeover || !all || !roomToCompress(p.FromServer, memory)
	p.FromClient.NoTakeover = p.FromClient.NoTakeover || !all || !roomToDecompress(p.FromClient, memory)
}

// Offers returns a client's offers, best first, or none for Off (RFC 7692 §5.1). The second offer is for
// servers that only accept an offer with client_no_context_takeover, although a server may ask for that by itself
// (§7.1.1.2).
func Offers(m Mode, memory *budget.Budget) []Params {
	var p Params
	switch m {
	case Takeover:
		p.FromServer.NoTakeover = !roomToDecompress(p.FromServer, memory)
		second := p
		second.FromClient.NoTakeover = true
		return []Params{p, second}
	case NoTakeover:
		p.FromServer.NoTakeover, p.FromClient.NoTakeover = true, true
		return []Params{p}
	}
	return nil
}

// AppendOffers appends the offers. Each lets the server choose the client's window (RFC 7692 §7.1.2.2).
func AppendOffers(dst []byte, offers []Params) []byte {
	for i := range offers {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(offers[i].Append(dst), "; "...), clientBits...)
	}
	return dst
}

// Agree evaluates a server's response to offers. A nil result without an error means no compression. A server that
// chooses something that was not offered fails the handshake (RFC 6455 §4.1, RFC 7692 §7).
func Agree(responses []string, offers []Params) (*Params, error) {
	list, ok := parseExtensions(responses)
	switch {
	case !ok:
		return nil, ErrMalformed
	case len(list) == 0:
		return nil, nil
	case len(list) > 1 || len(offers) == 0 || list[0].name != Name:
		return nil, ErrNotOffered
	}
	if p, ok := readDeflate(list[0].params, false); ok {
		for _, o := range offers {
			if o.acceptedBy(&p) {
				return &p, nil
			}
		}
	}
	return nil, ErrParams
}

// acceptedBy reports whether response accepts the offer. It also sets client.NoTakeover in response if the offer promises
// that. A server accepts server_no_context_takeover by repeating it (RFC 7692 §7.1.1.1). It need not repeat
// client_no_context_takeover, but does if it relies on it (§7.1.1.2).
func (p *Params) acceptedBy(response *Params) bool {
	if p.FromServer.NoTakeover && !response.FromServer.NoTakeover {
		return false
	}
	response.FromClient.NoTakeover = response.FromClient.NoTakeover || p.FromClient.NoTakeover
	return true
}

func roomToCompress(s Side, memory *budget.Budget) bool {
	return memory.Room(int64(deflate.CompressorSize(s.window())))
}

func roomToDecompress(s Side, memory *budget.Budget) bool {
	return memory.Room(int64(deflate.DecompressorSize(s.window())))
}
