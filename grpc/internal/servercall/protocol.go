package servercall

import (
	"strings"

	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/server"
)

// protocol is how a call is written in HTTP. A protocol has no state of its own: what it learns and writes is the Call's.
type protocol interface {
	// field looks at a field of the request's head, its name in lower case. It reports whether the field is the
	// protocol's own, and so no metadata.
	field(r *request, name, value []byte) (own bool)
	// begin prepares the call for messages whose content-subtype is subtype. An error is the status of the call.
	begin(c *Call, subtype string) error

	// receiveOnly receives the message of a request that is one message.
	receiveOnly(c *Call, v any) error
	// receive receives the next message. io.EOF is the end.
	receive(c *Call, v any) error

	// writeHead adds the fields of the response's head.
	writeHead(c *Call)
	// send sends a message. only means that the status follows at once.
	send(c *Call, v any, only bool) error
	// finish ends the response with a status, nil for OK.
	finish(c *Call, st *status.Status)
}

// acceptPost are the media types of calls (Accept-Post of the W3C's Linked Data Platform).
const acceptPost = "application/grpc, application/grpc+proto"

// protocolOf returns the protocol that a content-type names, nil if none, and the content-subtype: "" where the protocol's
// usual one is left out.
func protocolOf(contentType []byte) (p protocol, subtype string) {
	const plain = "application/grpc"
	if string(contentType) == plain {
		return grpcProtocol{}, ""
	}
	kind, _, _ := strings.Cut(strings.ToLower(string(contentType)), ";")
	kind = strings.TrimRight(kind, " \t")
	if kind == plain {
		return grpcProtocol{}, ""
	}
	if subtype, ok := strings.CutPrefix(kind, plain+"+"); ok {
		return grpcProtocol{}, subtype
	}
	return nil, ""
}

// IsCall reports whether r is a call of a protocol that an Engine serves.
func IsCall(r *server.Request) bool {
	p, _ := protocolOf(r.Header().Get("Content-Type"))
	return p != nil
}
