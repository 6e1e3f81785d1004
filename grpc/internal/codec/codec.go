// Package codec turns the messages of calls into bytes and back, by the codecs that are registered with gRPC's package
// encoding.
package codec

import (
	"fmt"
	"reflect"

	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
)

// Codec encodes and decodes messages. The zero Codec is protobuf, without a detour through buffers of package mem. A
// Codec is safe for concurrent use.
type Codec struct {
	other encoding.CodecV2 // nil for protobuf
}

// V2 returns the Codec that uses c.
func V2(c encoding.CodecV2) Codec { return Codec{c} }

// V1 returns the Codec that uses c.
func V1(c encoding.Codec) Codec { return Codec{fromV1{c}} }

// Named returns the Codec that is registered for a content-subtype in lower case. An empty name is protobuf's.
func Named(name string) (c Codec, known bool) {
	if name == "" {
		name = grpcproto.Name
	}
	if v2 := encoding.GetCodecV2(name); v2 != nil {
		if reflect.TypeOf(v2) == builtIn {
			return Codec{}, true
		}
		return V2(v2), true
	}
	if v1 := encoding.GetCodec(name); v1 != nil {
		return V1(v1), true
	}
	return Codec{}, false
}

// builtIn is the type of the codec that gRPC's package encoding/proto registers. Programs may register another one in its
// place, under the same name. It is noted before they can: packages initialize after those that they import.
var builtIn = reflect.TypeOf(encoding.GetCodecV2(grpcproto.Name))

// Name returns the content-subtype of c.
func (c Codec) Name() string {
	if c.other == nil {
		return grpcproto.Name
	}
	return c.other.Name()
}

// Append appends the encoding of v.
func (c Codec) Append(dst []byte, v any) ([]byte, error) {
	if c.other == nil {
		m := messageOf(v)
		if m == nil {
			return dst, fmt.Errorf("%T is not a proto.Message", v)
		}
		return proto.MarshalOptions{}.MarshalAppend(dst, m)
	}
	data, err := c.other.Marshal(v)
	if err != nil {
		return dst, err
	}
	defer data.Free()
	for _, b := range data {
		dst = append(dst, b.ReadOnlyData()...)
	}
	return dst, nil
}

// Decode decodes p into v. It does not keep p, except that a codec of the program gets a copy.
func (c Codec) Decode(p []byte, v any) error {
	if c.other == nil {
		m := messageOf(v)
		if m == nil {
			return fmt.Errorf("%T is not a proto.Message", v)
		}
		return proto.Unmarshal(p, m)
	}
	data := mem.BufferSlice{mem.Copy(p, mem.DefaultBufferPool())}
	defer data.Free()
	return c.other.Unmarshal(data, v)
}

// messageOf returns v as a message of today's protobuf API, nil if it is none.
func messageOf(v any) proto.Message {
	switch v := v.(type) {
	case proto.Message:
		return v
	case protoadapt.MessageV1:
		return protoadapt.MessageV2Of(v)
	}
	return nil
}

// fromV1 is a codec of the older interface as one of the newer.
type fromV1 struct{ encoding.Codec }

func (c fromV1) Marshal(v any) (mem.BufferSlice, error) {
	b, err := c.Codec.Marshal(v)
	return mem.BufferSlice{mem.SliceBuffer(b)}, err
}

func (c fromV1) Unmarshal(data mem.BufferSlice, v any) error {
	return c.Codec.Unmarshal(data.Materialize(), v)
}
