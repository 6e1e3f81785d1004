package handshake

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// Proposal is what a client asks for: the parts of a request that its response is checked against.
type Proposal struct {
	key          string
	subprotocols []string
	offers       []permessage.Params
}

// Propose returns a Proposal with a new key. It fails if the subprotocols are not tokens without duplicates (RFC 6455
// §4.1).
func (s *Settings) Propose() (*Proposal, error) {
	for i, name := range s.Subprotocols {
		if !http1.ValidToken([]byte(name)) || slices.Contains(s.Subprotocols[:i], name) {
			return nil, fmt.Errorf("subprotocol %q is not a token or is listed twice", name)
		}
	}
	return &Proposal{newKey(), s.Subprotocols, permessage.Offers(s.Compression, s.Memory)}, nil
}

// fields returns the fields of the Proposal beside Host.
func (p *Proposal) fields() [][2]string {
	list := [][2]string{{"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Version", "13"}, {"Sec-WebSocket-Key", p.key}}
	if len(p.subprotocols) > 0 {
		list = append(list, [2]string{"Sec-WebSocket-Protocol", strings.Join(p.subprotocols, ", ")})
	}
	if len(p.offers) > 0 {
		list = append(list, [2]string{"Sec-WebSocket-Extensions", string(permessage.AppendOffers(nil, p.offers))})
	}
	return list
}

var errHost = errors.New("the Host in Config.Header is not valid")

// CheckRequest returns an error if r cannot be sent: its Host is not valid, or its Header has a field of the handshake or one that
// cannot be sent.
func CheckRequest(r *http.Request) error {
	if r.Host == "" || !http1.ValidHost([]byte(r.Host)) {
		return errHost
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if IsField(name) {
			return fmt.Errorf("%s in Config.Header is set by the handshake", name)
		}
		for _, v := range r.Header[name] {
			if _, ok := http1.AppendField(nil, name, v); !ok {
				return fmt.Errorf("the field %q in Config.Header cannot be sent", name)
			}
		}
	}
	return nil
}

// AppendRequest appends the head of the request (RFC 6455 §4.1), with the fields of r, which CheckRequest has accepted.
func (p *Proposal) AppendRequest(dst []byte, r *http.Request) (_ []byte, err error) {
	dst, ok := http1.AppendRequestLine(dst, r.Method, r.URL.RequestURI())
	if !ok {
		return nil, fmt.Errorf("URL %q cannot be sent", r.URL.Redacted())
	}
	dst, _ = http1.AppendField(dst, "Host", r.Host)
	for _, f := range p.fields() {
		dst, _ = http1.AppendField(dst, f[0], f[1])
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, v := range r.Header[name] {
			dst, _ = http1.AppendField(dst, name, v)
		}
	}
	return append(dst, "\r\n"...), nil
}

// SetFields sets the fields of the Proposal in h, for a client of net/http.
func (p *Proposal) SetFields(h http.Header) {
	for _, f := range p.fields() {
		h[f[0]] = []string{f[1]}
	}
}

// CheckResponse checks the response to a request (RFC 6455 §4.1).
func (p *Proposal) CheckResponse(r *http.Response) (Agreement, *Error) {
	wrong := func(msg string) (Agreement, *Error) { return Agreement{}, &Error{r.StatusCode, msg} }
	values := r.Header.Values
	upgrades, keys := values("Upgrade"), values("Sec-WebSocket-Accept")
	subs, extensions := values("Sec-WebSocket-Protocol"), values("Sec-WebSocket-Extensions")
	switch {
	case r.StatusCode != http.StatusSwitchingProtocols:
		return wrong("the server sent the status " + r.Status)
	case r.ProtoMajor != 1 || r.ProtoMinor < 1:
		return wrong("the server's 101 is not HTTP/1.1 (RFC 6455 §4.1)")
	case len(upgrades) != 1 || !strings.EqualFold(upgrades[0], "websocket"):
		return wrong("the server's Upgrade is not websocket (RFC 6455 §4.1, 2)")
	case !http1.HasToken("upgrade", values("Connection")...):
		return wrong("the server's Connection does not name Upgrade (RFC 6455 §4.1, 3)")
	case len(keys) != 1 || keys[0] != AcceptKey(p.key):
		return wrong("the server's Sec-WebSocket-Accept does not match the key (RFC 6455 §4.1, 4)")
	case len(p.offers) == 0 && len(extensions) > 0:
		return wrong("the server uses an extension that was not offered (RFC 6455 §4.1, 5)")
	case len(subs) > 1 || len(subs) == 1 && !slices.Contains(p.subprotocols, subs[0]):
		return wrong("the server chose a subprotocol that was not offered (RFC 6455 §4.1, 6)")
	}
	deflate, err := permessage.Agree(extensions, p.offers)
	if err != nil {
		return wrong(err.Error())
	}
	return Agreement{Subprotocol: strings.Join(subs, ""), Deflate: deflate}, nil
}

// Direct returns what client and server agree on without a handshake.
func Direct(client, server *Settings) (Agreement, *Error) {
	name, refused := server.choose(client.Subprotocols)
	if refused != nil {
		return Agreement{}, refused
	}
	a := Agreement{Subprotocol: name}
	if offers := permessage.Offers(client.Compression, client.Memory); len(offers) > 0 {
		a.Deflate, _ = permessage.Choose([]string{string(permessage.AppendOffers(nil, offers))}, server.Compression, server.Memory)
	}
	return a, nil
}
