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

// offerDeflate returns what a client offers, empty for nothing. It lets the server choose the client's window (RFC 7692
// §7.1.2.2).
func offerDeflate(c Compression) string {
	if c == NoCompression {
		return ""
	}
	var p deflateParams
	fresh := c == NoContextTakeover
	p.client.fresh = fresh
	p.server.fresh = fresh || !roomToInflate(p.server)
	return string(p.append(nil)) + "; " + clientBits
}

// agreeDeflate reads a server's answer to offerDeflate(c); without one the connection has no compression. A server that
// chooses what was not offered fails the handshake (RFC 6455 §4.1, RFC 7692 §7).
func agreeDeflate(answers []string, c Compression) (*deflateParams, *HandshakeError) {
	list, ok := parseExtensions(answers)
	switch {
	case !ok:
		return nil, errExtensionsAnswer
	case len(list) == 0:
		return nil, nil
	case len(list) > 1 || c == NoCompression || list[0].name != permessageDeflate:
		return nil, errExtension
	}
	p, ok := readDeflate(list[0].params, false)
	if !ok || c == NoContextTakeover && !p.server.fresh {
		return nil, errDeflateAnswer // §7.1.1.1: a server accepts the parameter by repeating it
	}
	p.client.fresh = p.client.fresh || c == NoContextTakeover // as was offered, whatever the answer says
	return &p, nil
}
