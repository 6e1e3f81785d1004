package hpack

import (
	"bytes"
	"testing"

	oracle "golang.org/x/net/http2/hpack"
)

// requestFields are what a browser sends.
var requestFields = []Field{
	{Name: ":method", Value: "GET"},
	{Name: ":scheme", Value: "https"},
	{Name: ":authority", Value: "www.example.com"},
	{Name: ":path", Value: "/static/app.js?v=20240611"},
	{Name: "user-agent", Value: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36"},
	{Name: "accept", Value: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
	{Name: "accept-encoding", Value: "gzip, deflate, br, zstd"},
	{Name: "accept-language", Value: "en-US,en;q=0.9"},
	{Name: "cookie", Value: "session=38afes7a8f9b2c; theme=dark"},
	{Name: "x-request-source", Value: "frontend"},
}

// responseFields are what a server sends.
var responseFields = []Field{
	{Name: ":status", Value: "200"},
	{Name: "content-type", Value: "text/html; charset=utf-8"},
	{Name: "content-length", Value: "13"},
	{Name: "date", Value: "Mon, 21 Oct 2013 20:13:22 GMT"},
	{Name: "server", Value: "shockwave"},
	{Name: "cache-control", Value: "public, max-age=3600"},
	{Name: "x-frame-options", Value: "DENY"},
	{Name: "last-modified", Value: "Mon, 21 Oct 2013 20:13:22 GMT"},
}

// coldBlock is requestFields as x/net encodes them with an empty table.
func coldBlock() []byte {
	var out bytes.Buffer
	e := oracle.NewEncoder(&out)
	writeTheirs(e, requestFields)
	return out.Bytes()
}

func writeTheirs(e *oracle.Encoder, fields []Field) {
	for _, f := range fields {
		e.WriteField(oracle.HeaderField{Name: f.Name, Value: f.Value, Sensitive: f.Sensitive})
	}
}

// warm returns a block in which all fields of the cold one are indexed.
func warmBlock() []byte {
	var out bytes.Buffer
	e := oracle.NewEncoder(&out)
	writeTheirs(e, requestFields)
	out.Reset()
	writeTheirs(e, requestFields)
	return out.Bytes()
}

func benchmarkDecode(b *testing.B, first, block []byte) {
	b.Run("shockwave", func(b *testing.B) {
		var d Decoder
		fields, err := d.DecodeInto(first, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if fields, err = d.DecodeInto(block, fields[:0]); err != nil || len(fields) != len(requestFields) {
				b.Fatal(len(fields), err)
			}
		}
	})
	b.Run("x-net", func(b *testing.B) {
		fields := make([]oracle.HeaderField, 0, 16)
		d := oracle.NewDecoder(DefaultTableSize, func(f oracle.HeaderField) { fields = append(fields, f) })
		d.Write(first)
		b.ReportAllocs()
		for b.Loop() {
			fields = fields[:0]
			if _, err := d.Write(block); err != nil || d.Close() != nil || len(fields) != len(requestFields) {
				b.Fatal(len(fields), err)
			}
		}
	})
}

// BenchmarkDecodeCold decodes ten fields, eight of which are new each time.
func BenchmarkDecodeCold(b *testing.B) { benchmarkDecode(b, nil, coldBlock()) }

// BenchmarkDecodeIndexed decodes the same ten fields from the tables.
func BenchmarkDecodeIndexed(b *testing.B) { benchmarkDecode(b, coldBlock(), warmBlock()) }

// BenchmarkDecodeFirst decodes the first block of a connection with a new decoder.
func BenchmarkDecodeFirst(b *testing.B) {
	block := coldBlock()
	b.Run("shockwave", func(b *testing.B) {
		fields := make([]Field, 0, 16)
		b.ReportAllocs()
		for b.Loop() {
			var d Decoder
			var err error
			if fields, err = d.DecodeInto(block, fields[:0]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("x-net", func(b *testing.B) {
		fields := make([]oracle.HeaderField, 0, 16)
		b.ReportAllocs()
		for b.Loop() {
			fields = fields[:0]
			d := oracle.NewDecoder(DefaultTableSize, func(f oracle.HeaderField) { fields = append(fields, f) })
			if _, err := d.Write(block); err != nil || d.Close() != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEncode encodes a response whose fields are in the tables.
func BenchmarkEncodeResponse(b *testing.B) {
	b.Run("shockwave", func(b *testing.B) {
		var e Encoder
		var out []byte
		b.ReportAllocs()
		for b.Loop() {
			out = e.AppendBlock(out[:0], responseFields)
		}
	})
	b.Run("shockwave-lines", func(b *testing.B) {
		var e Encoder
		var out []byte
		var names, values [][]byte
		for _, f := range responseFields {
			names, values = append(names, bytes.ToTitle([]byte(f.Name))), append(values, []byte(f.Value))
		}
		b.ReportAllocs()
		for b.Loop() {
			out = out[:0]
			for i, name := range names {
				out = e.AppendLine(out, name, values[i], false)
			}
		}
	})
	b.Run("x-net", func(b *testing.B) {
		var out bytes.Buffer
		e := oracle.NewEncoder(&out)
		b.ReportAllocs()
		for b.Loop() {
			out.Reset()
			writeTheirs(e, responseFields)
		}
	})
}

// BenchmarkEncodeCold encodes fields that are in no table.
func BenchmarkEncodeCold(b *testing.B) {
	b.Run("shockwave", func(b *testing.B) {
		var out []byte
		e := Encoder{TableLimit: -1}
		b.ReportAllocs()
		for b.Loop() {
			out = e.AppendBlock(out[:0], requestFields)
		}
	})
	b.Run("x-net", func(b *testing.B) {
		var out bytes.Buffer
		e := oracle.NewEncoder(&out)
		e.SetMaxDynamicTableSize(0)
		b.ReportAllocs()
		for b.Loop() {
			out.Reset()
			writeTheirs(e, requestFields)
		}
	})
}
