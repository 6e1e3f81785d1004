package websocket

import (
	"context"
	"math/rand/v2"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// write writes a message.
func (s *sender) write(ctx context.Context, t MessageType, p []byte) error {
	if !t.valid() {
		return errType
	}
	if !s.writable() {
		return s.notWritableError()
	}
	if s.inLine.Load() {
		return s.writeInTurn(ctx, t, p)
	}
	if !s.compresses(len(p)) {
		return s.writeFrame(ctx, netconn.Whole, t.finalKind(), p)
	}
	return s.compressAndWrite(ctx, t, p)
}

// writeInTurn writes a message after those that wait in line.
//
//go:noinline
func (s *sender) writeInTurn(ctx context.Context, t MessageType, p []byte) error {
	return s.inTurn(ctx, func() error {
		if !s.compresses(len(p)) {
			return s.writeFrame(ctx, netconn.Whole, t.finalKind(), p)
		}
		return s.compressAndWrite(ctx, t, p)
	})
}

// compressAndWrite writes a message that is long enough to be compressed.
//
//go:noinline
func (s *sender) compressAndWrite(ctx context.Context, t MessageType, p []byte) error {
	if s.compress.Independent() {
		return s.writeCompressed(ctx, netconn.Whole, t, p)
	}
	if err := s.link.BeginParts(ctx, len(p)); err != nil { // messages must be sent in the order in which they are compressed
		return writeError(err)
	}
	defer s.link.EndParts()
	return s.writeCompressed(context.Background(), netconn.Part, t, p)
}

// writeCompressed writes p as a compressed message. It sends p as it is if compression does not make it shorter and no
// later message depends on it: RFC 7692 §6 allows a mix.
func (s *sender) writeCompressed(ctx context.Context, u netconn.Unit, t MessageType, p []byte) error {
	compressed, err := s.compress.Compress(p)
	if err != nil {
		return err
	}
	defer bufpool.Put(compressed)
	k := t.finalKind()
	if len(compressed) < len(p) || !s.compress.Independent() {
		k, p = k.With(wsframe.RSV1), compressed
	}
	return s.writeFrame(ctx, u, k, p)
}

// writeFrame writes p as a frame. With unit Part, the caller has begun the message that the frame belongs to.
func (s *sender) writeFrame(ctx context.Context, u netconn.Unit, k wsframe.Kind, p []byte) error {
	if s.role == wsframe.Client {
		return s.writeMasked(ctx, u, k, p)
	}
	var head [wsframe.MaxHeaderSize]byte
	h := wsframe.Header{Kind: k, Length: int64(len(p))}
	return writeError(s.link.WriteUnit(ctx, u, wsframe.Append(head[:0], h), p))
}

// writeMasked is writeFrame for a client (RFC 6455 §5.3).
//
//go:noinline
func (s *sender) writeMasked(ctx context.Context, u netconn.Unit, k wsframe.Kind, p []byte) error {
	frame := appendMasked(bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0], k, p)
	defer bufpool.Put(frame)
	return writeError(s.link.WriteUnit(ctx, u, nil, frame))
}

// appendFrame appends a frame with p, masked by a client.
func (s *sender) appendFrame(dst []byte, k wsframe.Kind, p []byte) []byte {
	if s.role == wsframe.Client {
		return appendMasked(dst, k, p)
	}
	return append(wsframe.Append(dst, wsframe.Header{Kind: k, Length: int64(len(p))}), p...)
}

// appendMasked appends a frame with a masked copy of p (RFC 6455 §5.3). p is not changed.
func appendMasked(dst []byte, k wsframe.Kind, p []byte) []byte {
	h := wsframe.Header{Kind: k, Masked: true, Key: rand.Uint32(), Length: int64(len(p))}
	dst = wsframe.Append(dst, h)
	at := len(dst)
	dst = dst[:at+len(p)]
	mask.XOR(dst[at:], p, h.Key)
	return dst
}

// control returns a control frame in a buffer from the pool.
func (s *sender) control(o wsframe.Opcode, p []byte) []byte {
	return s.appendFrame(bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0], wsframe.Final(o), p)
}
