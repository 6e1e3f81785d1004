package websocket

// chooseDeflate returns a server's answer to a client's Sec-WebSocket-Extensions: the first acceptable offer of
// permessage-deflate (RFC 7692 §5.1), or nil if there is none. Offers of other extensions are ignored.
func chooseDeflate(offers []string, c Compression) (*deflateParams, *HandshakeError) {
	list, ok := parseExtensions(offers)
	if !ok {
		return nil, errExtensions
	}
	if c == NoCompression {
		return nil, nil
	}
	for _, e := range list {
		if e.name != permessageDeflate {
			continue
		}
		if p, ok := readDeflate(e.params, true); ok {
			p.restrict(c)
			return &p, nil
		}
	}
	return nil, nil
}

// restrict turns takeover off in an offer where the Config does not want it or memory is short. A server may do that
// whatever the offer says: RFC 7692 §7.1.1.1 for its own messages, §7.1.1.2 for the client's. The windows stay as
// offered: a client keeps to the size that it announces (§7.1.2.2), and the server's must not be larger than offered
// (§7.1.2.1).
func (p *deflateParams) restrict(c Compression) {
	all := c == ContextTakeover
	p.server.noTakeover = p.server.noTakeover || !all || !roomToDeflate(p.server)
	p.client.noTakeover = p.client.noTakeover || !all || !roomToInflate(p.client)
}

// offerDeflate returns a client's offers, best first, or none for NoCompression (RFC 7692 §5.1). The second offer is for
// servers that only accept an offer with client_no_context_takeover, although a server may ask for that by itself
// (§7.1.1.2).
func offerDeflate(c Compression) []deflateParams {
	var p deflateParams
	switch c {
	case ContextTakeover:
		p.server.noTakeover = !roomToInflate(p.server)
		second := p
		second.client.noTakeover = true
		return []deflateParams{p, second}
	case NoContextTakeover:
		p.server.noTakeover, p.client.noTakeover = true, true
		return []deflateParams{p}
	}
	return nil
}

// appendOffers appends the offers. Each lets the server choose the client's window (RFC 7692 §7.1.2.2).
func appendOffers(dst []byte, offers []deflateParams) []byte {
	for i := range offers {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(offers[i].append(dst), "; "...), clientBits...)
	}
	return dst
}

// agreeDeflate evaluates a server's answer to offers. A nil result without an error means no compression. A server that
// chooses something that was not offered fails the handshake (RFC 6455 §4.1, RFC 7692 §7).
func agreeDeflate(answers []string, offers []deflateParams) (*deflateParams, *HandshakeError) {
	list, ok := parseExtensions(answers)
	switch {
	case !ok:
		return nil, errExtensionsAnswer
	case len(list) == 0:
		return nil, nil
	case len(list) > 1 || len(offers) == 0 || list[0].name != permessageDeflate:
		return nil, errExtension
	}
	if p, ok := readDeflate(list[0].params, false); ok {
		for _, o := range offers {
			if o.acceptedBy(&p) {
				return &p, nil
			}
		}
	}
	return nil, errDeflateAnswer
}

// acceptedBy reports whether answer accepts the offer. It also sets client.noTakeover in answer if the offer promises
// that. A server accepts server_no_context_takeover by repeating it (RFC 7692 §7.1.1.1). It need not repeat
// client_no_context_takeover, but does if it relies on it (§7.1.1.2).
func (p *deflateParams) acceptedBy(answer *deflateParams) bool {
	if p.server.noTakeover && !answer.server.noTakeover {
		return false
	}
	answer.client.noTakeover = answer.client.noTakeover || p.client.noTakeover
	return true
}
