package servercall

import (
	"strings"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/grpc/internal/fields"
)

// response is the side of a call that sends. mu is held while it writes. Protocols use it with mu held.
type response struct {
	mu          sync.Mutex
	x           Exchange // nil once closed
	headSent    bool     // the head is as good as sent: nothing can be added to it
	contentType string
	header      metadata.MD
	trailer     metadata.MD
	compressor  encoding.Compressor // of sent messages, nil for none
	compressed  string              // its name
}

// close refuses what comes after the call.
func (r *response) close() {
	r.mu.Lock()
	r.x = nil
	r.mu.Unlock()
}

// refusalLocked returns the error for what must come before the head.
func (r *response) refusalLocked() error {
	switch {
	case r.x == nil:
		return errOver
	case r.headSent:
		return status.Error(codes.Internal, "grpc: the header was sent already")
	}
	return nil
}

func (r *response) setHeader(md metadata.MD) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(md) == 0 {
		return nil
	}
	if err := r.refusalLocked(); err != nil {
		return err
	}
	if err := fields.Valid(md); err != nil {
		return err
	}
	r.header = fields.Join(r.header, md)
	return nil
}

func (r *response) sendHeader(c *Call, md metadata.MD) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refusalLocked(); err != nil {
		return err
	}
	if err := fields.Valid(md); err != nil {
		return err
	}
	r.header = fields.Join(r.header, md)
	r.sendHeadLocked(c)
	if err := r.x.Push(); err != nil {
		return c.readError(err)
	}
	return nil
}

func (r *response) setTrailer(md metadata.MD) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.x == nil {
		return errOver
	}
	if err := fields.Valid(md); err != nil {
		return err
	}
	r.trailer = fields.Join(r.trailer, md)
	return nil
}

// SetCompressor makes the messages of the response be compressed by the compressor that is registered under name, or not
// at all if name is "identity". It must come before the head is sent.
func (c *Call) SetCompressor(name string) error {
	r := &c.response
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refusalLocked(); err != nil {
		return err
	}
	return r.setCompressorLocked(name)
}

func (r *response) setCompressorLocked(name string) error {
	if name == "" || name == encoding.Identity {
		r.compressor, r.compressed = nil, ""
		return nil
	}
	comp := encoding.GetCompressor(name)
	if comp == nil {
		return status.Errorf(codes.Internal, "grpc: no compressor is registered as %q", name)
	}
	r.compressor, r.compressed = comp, name
	return nil
}

// sendHeadLocked adds the head's fields, once.
func (r *response) sendHeadLocked(c *Call) {
	if r.headSent {
		return
	}
	r.headSent = true
	c.request.protocol.writeHead(c)
	c.statsHeader()
}

// addHeader adds the metadata of the header to the fields of the head.
func (r *response) addHeader() {
	for name, values := range r.header {
		if !fields.IsReserved(name) {
			for _, v := range values {
				r.x.AddField(name, fields.EncodeValue(name, v))
			}
		}
	}
}

// send sends a message of a stream.
func (c *Call) send(v any) error { return c.response.send(c, v, false) }

// sendOnly sends the response of a unary call.
func (c *Call) sendOnly(v any) error { return c.response.send(c, v, true) }

func (r *response) send(c *Call, v any, only bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.x == nil {
		return errOver
	}
	r.sendHeadLocked(c)
	return c.request.protocol.send(c, v, only)
}

// finish ends the response with a status, nil for OK.
func (r *response) finish(c *Call, st *status.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.request.protocol.finish(c, st)
}

// Accepts returns the names of the compressions that the client accepts.
func (c *Call) Accepts() []string {
	var names []string
	for name := range strings.SplitSeq(c.request.accepts, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
