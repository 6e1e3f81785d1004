package http1

import "bytes"

// What Request.Lenient has taken:
//
//   - "*" with every method; RFC 9112 §3.2.4 has it for OPTIONS, UPnP sends M-SEARCH and NOTIFY with it;
//   - CONNECT without a Host field, whose target names the host all the same (§3.2 asks for both);
//   - a Host that is an IPv6 address without brackets, or with the zone that it has on the client's machine: clients
//     send the host of their URL (RFC 6874 §1 asks them to leave the zone out);
//   - the preface of HTTP/2, so that a handler can take the connection over and speak HTTP/2 on it.

// preface is the part of HTTP/2's preface that has the form of a head (RFC 9113 §3.4).
const preface = "PRI * HTTP/2.0\r\n\r\n"

// endPreface reads the empty line behind a request line of a major version that is not ours, if it is the preface's.
// Fields behind such a line are refused with it.
func (r *Request) endPreface(b []byte) *Error {
	h := &r.head
	end := h.start + len(preface)
	got := b[h.start:min(len(b), end)]
	switch {
	case string(got) != preface[:len(got)]:
		return errMajor
	case len(got) < len(preface):
		return nil
	}
	r.Preface, r.Minor = true, 1
	h.facts.closes, h.facts.upgrades, h.facts.hasUpgrade = true, true, true
	h.pos, h.phase = end, headIsRead
	return r.splitTarget(b)
}

// needsNoHost tells whether the head may do without a Host field, although its version is 1.1.
func (r *Request) needsNoHost() bool {
	return r.Lenient && (r.Preface || string(r.Method) == "CONNECT")
}

// isAddress tells whether s is an IPv6 address without brackets, or one with a zone and perhaps a port:
// "[" IPv6address "%" ZoneID "]", where the percent sign may stand for itself as well as escaped (RFC 6874 §2).
func isAddress(s []byte) bool {
	if len(s) == 0 || s[0] != '[' {
		return validIPv6(s)
	}
	literal, port, found := bytes.Cut(s[1:], []byte{']'})
	address, zone, _ := bytes.Cut(literal, []byte{'%'})
	return found && (len(port) == 0 || port[0] == ':' && validPort(port[1:])) &&
		validIPv6(address) && len(zone) > 0 && regNameEnd(zone) == len(zone)
}
