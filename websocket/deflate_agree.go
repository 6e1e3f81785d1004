package websocket

// chooseDeflate returns what a server answers to a client's Sec-WebSocket-Extensions: the first offer of
// permessage-deflate that can be accepted (RFC 7692 §5.1), nil if there is none. Offers of other extensions are passed
// over.
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
			p.bound(c)
			return &p, nil
		}
	}
	return nil, nil
}

// bound drops what this end does not want of an offer, or has no memory for. A server may do so whatever was offered:
// RFC 7692 §7.1.1.1 for its own messages, §7.1.1.2 for the client's. Windows stay as they were offered: a client that
// tells its own keeps to it (§7.1.2.2), and the server's must not be larger (§7.1.2.1).
func (p *deflateParams) bound(c Compression) {
	all := c == ContextTakeover
	p.server.fresh = p.server.fresh || !all || !roomToDeflate(p.server)
	p.client.fresh = p.client.fresh || !all || !roomToInflate(p.client)
}

// offerDeflate returns what a client offers, best first, nothing for no compression (RFC 7692 §5.1). A server that can
// accept only what says client_no_context_takeover, though it might ask for it itself (§7.1.1.2), finds that, too.
func offerDeflate(c Compression) []deflateParams {
	var p deflateParams
	switch c {
	case ContextTakeover:
		p.server.fresh = !roomToInflate(p.server)
		second := p
		second.client.fresh = true
		return []deflateParams{p, second}
	case NoContextTakeover:
		p.server.fresh, p.client.fresh = true, true
		return []deflateParams{p}
	}
	return nil
}

// appendOffers appends them. Each lets the server choose the client's window (RFC 7692 §7.1.2.2).
func appendOffers(dst []byte, offers []deflateParams) []byte {
	for i := range offers {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(offers[i].append(dst), "; "...), clientBits...)
	}
	return dst
}

// agreeDeflate reads a server's answer to offers; without one the connection has no compression. A server that chooses
// what was not offered fails the handshake (RFC 6455 §4.1, RFC 7692 §7).
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
			if o.takes(&p) {
				return &p, nil
			}
		}
	}
	return nil, errDeflateAnswer
}

// takes reports whether answer accepts the offer, and notes in it what the client does of its own accord. A server accepts
// server_no_context_takeover by repeating it (RFC 7692 §7.1.1.1). It need not repeat client_no_context_takeover; if it
// counts on that it does (§7.1.1.2).
func (p *deflateParams) takes(answer *deflateParams) bool {
	if p.server.fresh && !answer.server.fresh {
		return false
	}
	answer.client.fresh = answer.client.fresh || p.client.fresh
	return true
}
