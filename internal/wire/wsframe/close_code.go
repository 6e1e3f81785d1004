package wsframe

import "strconv"

// CloseCode says why a connection ends (RFC 6455 §7.4). Codes 3000 to 3999 are registered by libraries and frameworks;
// applications may use 4000 to 4999 as they agree.
type CloseCode uint16

// The close codes of RFC 6455 §7.4.1 and of the registry created by §11.7.
const (
	CloseNormal             CloseCode = 1000 // the purpose of the connection has been fulfilled
	CloseGoingAway          CloseCode = 1001 // a server shuts down, or a browser leaves the page
	CloseProtocolError      CloseCode = 1002 // the peer broke the protocol
	CloseUnsupportedData    CloseCode = 1003 // a kind of message that is not accepted, such as binary
	CloseNoStatus           CloseCode = 1005 // never sent: the close frame had no code
	CloseAbnormal           CloseCode = 1006 // never sent: the connection ended without a close frame
	CloseInvalidPayload     CloseCode = 1007 // a message does not match its type, such as text that is not UTF-8
	ClosePolicyViolation    CloseCode = 1008 // a message violates a policy of this end
	CloseMessageTooBig      CloseCode = 1009 // a message is too big to be processed
	CloseMandatoryExtension CloseCode = 1010 // the server did not negotiate an extension that the client needs
	CloseInternalError      CloseCode = 1011 // an unexpected error of a server
	CloseServiceRestart     CloseCode = 1012 // reconnect, after a random 5 to 30 s
	CloseTryAgainLater      CloseCode = 1013 // overload
	CloseBadGateway         CloseCode = 1014 // a gateway got a bad answer from its server
	CloseTLSHandshake       CloseCode = 1015 // never sent: the TLS handshake failed
)

// Sendable reports whether a close frame may carry c: 1000–1003, 1007–1014 and 3000–4999 (RFC 6455 §7.4). The other
// codes below 3000 are undefined, or reserved for reports of a connection without a close code.
func (c CloseCode) Sendable() bool {
	return c >= CloseNormal && c <= CloseUnsupportedData || c >= CloseInvalidPayload && c <= CloseBadGateway || c >= 3000 && c <= 4999
}

// String returns the number, and the name of a code that has one: "1001 going away", "4000".
func (c CloseCode) String() string {
	number := strconv.Itoa(int(c))
	if i := int(c) - int(CloseNormal); i >= 0 && i < len(closeNames) && closeNames[i] != "" {
		return number + " " + closeNames[i]
	}
	return number
}

var closeNames = [...]string{
	0:                                     "normal closure",
	CloseGoingAway - CloseNormal:          "going away",
	CloseProtocolError - CloseNormal:      "protocol error",
	CloseUnsupportedData - CloseNormal:    "unsupported data",
	CloseNoStatus - CloseNormal:           "no status received",
	CloseAbnormal - CloseNormal:           "abnormal closure",
	CloseInvalidPayload - CloseNormal:     "invalid payload data",
	ClosePolicyViolation - CloseNormal:    "policy violation",
	CloseMessageTooBig - CloseNormal:      "message too big",
	CloseMandatoryExtension - CloseNormal: "mandatory extension",
	CloseInternalError - CloseNormal:      "internal error",
	CloseServiceRestart - CloseNormal:     "service restart",
	CloseTryAgainLater - CloseNormal:      "try again later",
	CloseBadGateway - CloseNormal:         "bad gateway",
	CloseTLSHandshake - CloseNormal:       "TLS handshake",
}
