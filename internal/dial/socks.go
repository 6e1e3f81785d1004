package dial

import (
	"io"
	"net"
	"net/netip"
	"strconv"
)

// What RFC 1928 and RFC 1929 number.
const (
	socksVersion = 5
	loginVersion = 1

	noLogin  = 0x00 // methods
	byLogin  = 0x02
	noMethod = 0xff

	toConnect = 1 // command

	addr4    = 1 // kinds of address
	addrName = 3
	addr6    = 4
)

// socksReplies are the refusals of RFC 1928 §6.
var socksReplies = [...]string{
	1: "general SOCKS server failure", 2: "connection not allowed by ruleset", 3: "network unreachable", 4: "host unreachable",
	5: "connection refused", 6: "TTL expired", 7: "command not supported", 8: "address type not supported",
}

// socks asks the SOCKS5 proxy at the other end of nc for a tunnel to addr (RFC 1928), and reads no byte of the tunnel.
func (p *Proxy) socks(nc net.Conn, addr string) error {
	request, ok := appendSocks(nil, addr)
	if !ok || !p.Login.fits() {
		return errConnect
	}
	hello := []byte{socksVersion, 1, noLogin}
	if p.Login != nil {
		hello = []byte{socksVersion, 2, noLogin, byLogin}
	}
	choice, err := ask(nc, hello, 2)
	switch {
	case err != nil:
		return err
	case choice[0] != socksVersion:
		return &ProxyError{Msg: "it does not speak SOCKS5"}
	case choice[1] == byLogin && p.Login != nil:
		if err := p.Login.socks(nc); err != nil {
			return err
		}
	case choice[1] == noMethod:
		return &ProxyError{Msg: "it wants a login, or another one"}
	case choice[1] != noLogin:
		return &ProxyError{Msg: "it chose a method that was not offered"}
	}
	return openSocks(nc, request)
}

// openSocks sends the request and reads the reply to its end (RFC 1928 §6).
func openSocks(nc net.Conn, request []byte) error {
	reply, err := ask(nc, request, 2)
	if err != nil {
		return err
	}
	switch code := int(reply[1]); {
	case reply[0] != socksVersion:
		return &ProxyError{Msg: "a reply that is none of SOCKS5"}
	case code > 0 && code < len(socksReplies):
		return &ProxyError{Msg: socksReplies[code]}
	case code != 0:
		return &ProxyError{Msg: "reply " + strconv.Itoa(code)}
	}
	bound, err := ask(nc, nil, 3) // reserved, the kind of the address, its first byte
	if err != nil {
		return err
	}
	left := 2 // the port
	switch bound[1] {
	case addr4:
		left += 3
	case addr6:
		left += 15
	case addrName:
		left += int(bound[2])
	default:
		return &ProxyError{Msg: "a reply with an unknown kind of address"}
	}
	_, err = ask(nc, nil, left)
	return err
}

// appendSocks appends the request to connect to addr (RFC 1928 §4). A name is resolved by the proxy.
func appendSocks(dst []byte, addr string) (_ []byte, ok bool) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, false
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, false
	}
	dst = append(dst, socksVersion, toConnect, 0)
	ip, err := netip.ParseAddr(WithoutZone(host))
	switch {
	case err == nil && ip.Unmap().Is4():
		dst = append(append(dst, addr4), ip.Unmap().AsSlice()...)
	case err == nil:
		dst = append(append(dst, addr6), ip.AsSlice()...)
	case len(host) == 0 || len(host) > 255:
		return nil, false
	default:
		dst = append(append(dst, addrName, byte(len(host))), host...)
	}
	return append(dst, byte(number>>8), byte(number)), true
}

// fits tells whether a login can be sent: each part has 1 to 255 bytes (RFC 1929 §2). Proxies know users without a
// password all the same.
func (l *Login) fits() bool {
	return l == nil || len(l.User) > 0 && len(l.User) < 256 && len(l.Password) < 256
}

// socks logs in (RFC 1929 §2).
func (l *Login) socks(nc net.Conn) error {
	hello := append([]byte{loginVersion, byte(len(l.User))}, l.User...)
	hello = append(append(hello, byte(len(l.Password))), l.Password...)
	status, err := ask(nc, hello, 2)
	if err == nil && status[1] != 0 {
		err = &ProxyError{Msg: "it refused the login"}
	}
	return err
}

// ask sends question, if there is one, and reads an answer of n bytes. If nc ends before, the error is
// io.ErrUnexpectedEOF.
func ask(nc net.Conn, question []byte, n int) ([]byte, error) {
	if len(question) > 0 {
		if _, err := nc.Write(question); err != nil {
			return nil, err
		}
	}
	answer := make([]byte, n)
	_, err := io.ReadFull(nc, answer)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return answer, err
}
