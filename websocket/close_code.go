package websocket

import "github.com/shockwave-go/shockwave/internal/wire/wsframe"

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
	CloseBadGateway         CloseCode = 1014 // a gateway got a bad response from its server
)

// Sendable reports whether a close frame may carry c: 1000–1003, 1007–1014 and 3000–4999 (RFC 6455 §7.4). The other
// codes below 3000 are undefined, or reserved for reports of a connection without a close code.
func (c CloseCode) Sendable() bool { return wsframe.CloseCode(c).Sendable() }

// String returns the number, and the name of a code that has one: "1001 going away", "4000".
func (c CloseCode) String() string { return wsframe.CloseCode(c).String() }
