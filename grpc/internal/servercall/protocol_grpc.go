package servercall

import (
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/grpc/internal/codec"
	"github.com/shockwave-go/shockwave/grpc/internal/fields"
	"github.com/shockwave-go/shockwave/grpc/internal/frame"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// grpcProtocol is gRPC over HTTP/2 (PROTOCOL-HTTP2 of the gRPC project): length-prefixed messages, the status in trailer
// fields. It works on every version of HTTP that has trailer fields.
type grpcProtocol struct{}

func (grpcProtocol) field(r *request, name, value []byte) (own bool) {
	switch string(name) {
	case "grpc-timeout":
		d, ok := fields.ParseTimeout(value)
		if !ok {
			r.malformed = "grpc-timeout"
			return true
		}
		r.timeout = d
		return true
	case "grpc-encoding":
		r.compressed = compressionName(value)
		return true
	case "grpc-accept-encoding":
		r.accepts = string(value)
		return false
	case "grpc-message-type":
		return true
	}
	return isHTTPOwn(name)
}

// compressionName returns value as a string, without an allocation for the usual one.
func compressionName(value []byte) string {
	switch string(value) {
	case "gzip":
		return "gzip"
	case encoding.Identity:
		return ""
	}
	return string(value)
}

func (grpcProtocol) begin(c *Call, subtype string) error {
	r := &c.request
	c.response.contentType = "application/grpc"
	if subtype != "" {
		c.response.contentType += "+" + subtype
	}
	if r.malformed != "" {
		return status.Errorf(codes.Internal, "grpc: malformed %s", r.malformed)
	}
	if err := c.chooseCodec(subtype); err != nil {
		return err
	}
	if r.compressed == "" {
		return nil
	}
	if err := c.response.setCompressorLocked(r.compressed); err != nil { // the response is compressed as the request
		c.response.x.AddField("Grpc-Accept-Encoding", acceptedCompressions())
		return status.Errorf(codes.Unimplemented, "grpc: no decompressor is registered for grpc-encoding %q", r.compressed)
	}
	return nil
}

// chooseCodec chooses the codec for a content-subtype, unless the engine has one for all.
func (c *Call) chooseCodec(subtype string) error {
	if c.engine.Codec != nil {
		return nil
	}
	if subtype == "" || subtype == "proto" {
		c.codec = c.engine.proto()
		return nil
	}
	named, known := codec.Named(subtype)
	if !known {
		return status.Errorf(codes.Internal, "grpc: no codec is registered for the content-subtype %q", subtype)
	}
	c.codec = named
	return nil
}

// proto returns the codec that is registered for protobuf. Programs register codecs while they initialize.
func (e *Engine) proto() codec.Codec {
	e.protoOnce.Do(func() { e.protoCodec, _ = codec.Named("") })
	return e.protoCodec
}

// acceptedCompressions returns the names of the compressions that are registered, separated by commas.
func acceptedCompressions() string {
	names := []string{}
	for _, name := range []string{"gzip", "snappy", "zstd", "deflate"} {
		if encoding.GetCompressor(name) != nil {
			names = append(names, name)
		}
	}
	return strings.Join(append(names, encoding.Identity), ",")
}

func (grpcProtocol) receiveOnly(c *Call, v any) error {
	b, err := c.body(c.engine.MaxReceive, frame.HeadSize)
	if err != nil {
		return err
	}
	flags, p, err := frame.Split(b, c.engine.MaxReceive)
	if err != nil {
		return err
	}
	return c.decodeMessage(flags, p, v)
}

func (grpcProtocol) receive(c *Call, v any) error {
	flags, p, err := c.in.frames.Next(c.in.x, c.engine.MaxReceive)
	if err != nil {
		return c.receiveError(err)
	}
	return c.decodeMessage(flags, p, v)
}

// decodeMessage decodes a length-prefixed message.
func (c *Call) decodeMessage(flags byte, p []byte, v any) error {
	switch flags {
	case 0:
		return c.decode(p, len(p), v)
	case frame.Compressed:
		return c.decodeCompressed(p, v)
	}
	return status.Errorf(codes.Internal, "grpc: received message with unknown flags %#x", flags)
}

// decodeCompressed decodes a message that is compressed as the request's head says.
func (c *Call) decodeCompressed(p []byte, v any) error {
	name := c.request.compressed
	if name == "" {
		return status.Error(codes.Internal, "grpc: received compressed message, but the request names no compression")
	}
	comp := encoding.GetCompressor(name) // begin has checked that there is one
	plain, err := frame.Decompress(p, comp, c.engine.MaxReceive)
	if err != nil {
		return err
	}
	defer bufpool.Put(plain)
	return c.decode(plain, len(p), v)
}

// decode decodes a message that is p without compression and was received bytes long.
func (c *Call) decode(p []byte, received int, v any) error {
	if err := c.codec.Decode(p, v); err != nil {
		return status.Errorf(codes.Internal, "grpc: received message could not be decoded: %v", err)
	}
	c.statsIn(v, len(p), received)
	return nil
}

func (grpcProtocol) writeHead(c *Call) {
	r := &c.response
	r.x.AddField("Content-Type", r.contentType)
	if r.compressed != "" {
		r.x.AddField("Grpc-Encoding", r.compressed)
	}
	r.addHeader()
}

func (grpcProtocol) send(c *Call, v any, only bool) error {
	b, sizes, err := frame.Append(bufpool.Get(firstMessage)[:0], v, c.codec, c.response.compressor, c.engine.MaxSend)
	defer func() { bufpool.Put(b) }()
	if err != nil {
		return err
	}
	if err = c.write(b, only); err == nil {
		c.statsOut(v, sizes)
	}
	return err
}

// firstMessage is the size of the buffer into which a message is encoded, before it is known to need more.
const firstMessage = 1 << 10

// write writes b, which is sent soon unless the status follows at once.
func (c *Call) write(b []byte, only bool) error {
	x := c.response.x
	_, err := x.Write(b)
	if err == nil && !only {
		err = x.Push()
	}
	if err != nil {
		return c.readError(err)
	}
	return nil
}

func (grpcProtocol) finish(c *Call, st *status.Status) {
	r := &c.response
	add := r.x.AddTrailer
	if !r.headSent && st != nil && len(r.header) == 0 {
		r.headSent = true
		r.x.AddField("Content-Type", r.contentType)
		add = r.x.AddField
	} else {
		r.sendHeadLocked(c)
	}
	r.x.Write(nil) // this is the response, whatever became of the request's body
	r.addStatus(add, st)
}

// addStatus adds the fields of a status, nil for OK, and the metadata of the trailer.
func (r *response) addStatus(add func(name, value string), st *status.Status) {
	s := fields.EncodeStatus(st)
	add("Grpc-Status", s.Code)
	if s.Message != "" {
		add("Grpc-Message", s.Message)
	}
	if s.Details != "" {
		add("Grpc-Status-Details-Bin", s.Details)
	}
	for name, values := range r.trailer {
		if !fields.IsReserved(name) {
			for _, v := range values {
				add(name, fields.EncodeValue(name, v))
			}
		}
	}
}
