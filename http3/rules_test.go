package http3_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
	"github.com/shockwave-go/shockwave/server"
)

// talk is a client of HTTP/3 by hand.
type talk struct {
	*rig
	c *quic.Conn
}

// unhex returns the bytes that s lists in hexadecimal. Words in brackets are sections: [:method GET|:path /].
func unhex(t testing.TB, s string) (b []byte) {
	t.Helper()
	for s != "" {
		plain, rest, isFrame := strings.Cut(s, "[")
		raw, err := hex.DecodeString(strings.ReplaceAll(plain, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, raw...)
		if !isFrame {
			return b
		}
		fields, rest, _ := strings.Cut(rest, "]")
		s = rest
		section := qpack.Encoder{}.AppendPrefix(nil)
		if fields != "" {
			for f := range strings.SplitSeq(fields, "|") {
				name, value, _ := strings.Cut(f, " ")
				section = qpack.Encoder{}.AppendField(section, name, value)
			}
		}
		b = append(h3frame.AppendHeader(b, h3frame.Headers, uint64(len(section))), section...)
	}
	return b
}

// uni opens a unidirectional stream with these bytes.
func (k *talk) uni(b []byte) *quic.SendStream {
	k.Helper()
	u, err := k.c.OpenUniStream()
	if err != nil {
		k.Fatal(err)
	}
	u.Write(b)
	return u
}

// ask sends a request's bytes, and returns the response as text: a status with the body, or how the stream or connection has
// ended.
func (k *talk) ask(b []byte, fin bool) string {
	k.Helper()
	s := k.open(b, fin)
	defer s.CancelRead(0x10c)
	return k.response(s)
}

// open sends a request's bytes.
func (k *talk) open(b []byte, fin bool) *quic.Stream {
	k.Helper()
	ctx, cancel := within(k)
	defer cancel()
	s, err := k.c.OpenStreamSync(ctx)
	if err != nil {
		k.Fatal(err)
	}
	s.Write(b)
	if fin {
		s.Close()
	}
	return s
}

// response reads the response on s, in the form of ask.
func (k *talk) response(s *quic.Stream) string {
	s.SetReadDeadline(time.Now().Add(10 * time.Second))
	in, err := io.ReadAll(s)
	if err != nil {
		return ending(err)
	}
	var m h3frame.Message
	m.Reset(1 << 20)
	var words []string
	for len(in) > 0 {
		p, n, e := m.Next(in)
		if e != nil || p.Kind == h3frame.Nothing {
			return fmt.Sprintf("garbage %x %v", in, e)
		}
		in = in[n:]
		switch p.Kind {
		case h3frame.Section:
			words = append(words, k.section(&m, p))
		case h3frame.Content:
			words = append(words, string(p.Bytes))
		}
	}
	if e := m.End(); e != nil {
		return e.Error()
	}
	return strings.Join(words, " ")
}

// section returns the status, or a trailer's fields.
func (k *talk) section(m *h3frame.Message, p h3frame.Part) string {
	fields, err := new(qpack.Decoder).Decode(p.Bytes, nil)
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, f := range fields {
		if f.Name == ":status" {
			if f.Value < "200" {
				m.Interim()
			}
			return f.Value
		}
		names = append(names, f.Name+"="+f.Value)
	}
	return "trailer " + strings.Join(names, " ")
}

// ending says how a stream or connection has ended.
func ending(err error) string {
	if e, ok := errors.AsType[*quic.StreamError](err); ok {
		return "reset " + h3frame.Code(e.ErrorCode).String()
	}
	if e, ok := errors.AsType[*quic.ApplicationError](err); ok {
		return "close " + h3frame.Code(e.ErrorCode).String()
	}
	return err.Error()
}

// closed waits until the server has ended the connection.
func (k *talk) closed() string {
	select {
	case <-k.c.Context().Done():
		return ending(context.Cause(k.c.Context()))
	case <-time.After(10 * time.Second):
		return "it stays"
	}
}

func (r *rig) talk() *talk { return &talk{r, r.dial()} }

const get = "[:method GET|:scheme https|:authority a.test|:path /x]"

// post is the head of a POST with these further fields.
func post(more string) string {
	return "[:method POST|:scheme https|:authority a.test|:path /echo" + more + "]"
}

// A request stream that keeps the rules gets a response, and any other ends with the right code. Each case has a connection of
// its own, and if the connection goes on, the next request on it gets a response.
func TestRequests(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page), MaxHeadBytes: 4096, MaxHeadFields: 20}, http3.Config{})
	long := strings.Repeat("x", 5000)
	for name, tc := range map[string]struct {
		in   string
		want string
	}{
		"GET":                           {get, "200 GET 3 a.test"},
		"POST":                          {post("") + "0003 616263", "200 abc"},
		"content in pieces":             {post("|content-length 3") + "0001 61 0000 0002 6263", "200 abc"},
		"a trailer":                     {post("") + "0001 61 [a b]", "200 a"},
		"frames of unknown types":       {"2102 6162" + post("") + "4021 00 0001 61 2100", "200 a"},
		"host alone":                    {"[:method GET|:scheme https|:path /x|host a.test]", "200 GET 3 a.test"},
		"cookies in pieces":             {"[:method GET|:scheme https|:authority a.test|:path /x|cookie a=1|cookie b=2]", "200 GET 3 a.test"},
		"OPTIONS *":                     {"[:method OPTIONS|:scheme https|:authority a.test|:path *]", "200 OPTIONS 3 a.test"},
		"nothing":                       {"", "reset H3_REQUEST_INCOMPLETE"},
		"no head":                       {"2100", "reset H3_REQUEST_INCOMPLETE"},
		"half a head":                   {"0105 0000", "close H3_FRAME_ERROR"},
		"content first":                 {"0001 61" + get, "close H3_FRAME_UNEXPECTED"},
		"content after the trailer":     {post("") + "[a b] 0001 61", "close H3_FRAME_UNEXPECTED"},
		"SETTINGS":                      {"0400", "close H3_FRAME_UNEXPECTED"},
		"GOAWAY after the head":         {post("") + "0701 00", "close H3_FRAME_UNEXPECTED"},
		"PUSH_PROMISE":                  {post("") + "0502 0000", "close H3_FRAME_UNEXPECTED"},
		"a frame of HTTP/2's":           {"0600", "close H3_FRAME_UNEXPECTED"},
		"half a frame":                  {post("") + "0005 61", "close H3_FRAME_ERROR"},
		"more than content-length":      {post("|content-length 1") + "0002 6162", "reset H3_MESSAGE_ERROR"},
		"more, in another frame":        {post("|content-length 1") + "0001 61 0001 62", "reset H3_MESSAGE_ERROR"},
		"less than content-length":      {post("|content-length 3") + "0002 6162", "reset H3_MESSAGE_ERROR"},
		"less, after the trailer":       {post("|content-length 3") + "0002 6162 [a b]", "reset H3_MESSAGE_ERROR"},
		"content of none":               {post("|content-length 0") + "0001 61", "reset H3_MESSAGE_ERROR"},
		"no method":                     {"[:scheme https|:authority a.test|:path /]", "reset H3_MESSAGE_ERROR"},
		"no path":                       {"[:method GET|:scheme https|:authority a.test]", "reset H3_MESSAGE_ERROR"},
		"no scheme":                     {"[:method GET|:authority a.test|:path /]", "reset H3_MESSAGE_ERROR"},
		"no authority":                  {"[:method GET|:scheme https|:path /]", "reset H3_MESSAGE_ERROR"},
		"two hosts":                     {"[:method GET|:scheme https|:authority a.test|:path /|host b.test]", "reset H3_MESSAGE_ERROR"},
		"a pseudo-field twice":          {"[:method GET|:method GET|:scheme https|:authority a.test|:path /]", "reset H3_MESSAGE_ERROR"},
		"a pseudo-field after a field":  {"[:method GET|:scheme https|:authority a.test|a b|:path /]", "reset H3_MESSAGE_ERROR"},
		"an unknown pseudo-field":       {"[:method GET|:scheme https|:authority a.test|:path /|:x y]", "reset H3_MESSAGE_ERROR"},
		"a response's pseudo-field":     {"[:method GET|:scheme https|:authority a.test|:path /|:status 200]", "reset H3_MESSAGE_ERROR"},
		"an upper-case name":            {"[:method GET|:scheme https|:authority a.test|:path /|A b]", "reset H3_MESSAGE_ERROR"},
		"connection":                    {"[:method GET|:scheme https|:authority a.test|:path /|connection close]", "reset H3_MESSAGE_ERROR"},
		"transfer-encoding":             {"[:method GET|:scheme https|:authority a.test|:path /|transfer-encoding chunked]", "reset H3_MESSAGE_ERROR"},
		"te":                            {"[:method GET|:scheme https|:authority a.test|:path /|te gzip]", "reset H3_MESSAGE_ERROR"},
		"te: trailers":                  {"[:method GET|:scheme https|:authority a.test|:path /x|te trailers]", "200 GET 3 a.test"},
		"a line feed in a value":        {"[:method GET|:scheme https|:authority a.test|:path /|a b\nc]", "reset H3_MESSAGE_ERROR"},
		"a pseudo-field in a trailer":   {post("") + "0001 61 [:path /]", "reset H3_MESSAGE_ERROR"},
		"a bad content-length":          {post("|content-length -1"), "reset H3_MESSAGE_ERROR"},
		"two content-lengths":           {post("|content-length 1|content-length 1") + "0001 61", "reset H3_MESSAGE_ERROR"},
		"a head that is too large":      {get[:len(get)-1] + "|a " + long + "]", "431"},
		"too many fields":               {get[:len(get)-1] + strings.Repeat("|a b", 30) + "]", "431"},
		"a trailer that is too large":   {post("") + "0001 61 [a " + long + "]", "reset H3_EXCESSIVE_LOAD"},
		"expect: something":             {post("|expect more") + "0001 61", "417"},
		"expect: 100-continue":          {post("|expect 100-continue") + "0001 61", "100 200 a"},
		"a dynamic table":               {"0103 0000 80", "close QPACK_DECOMPRESSION_FAILED"},
		"a section that needs a table":  {"0103 0281 80", "close QPACK_DECOMPRESSION_FAILED"},
		"half a field":                  {"0103 0000 51", "close QPACK_DECOMPRESSION_FAILED"},
		"a dynamic table, trailer":      {post("") + "0001 61 0103 0000 80", "close QPACK_DECOMPRESSION_FAILED"},
		"no prefix":                     {"0100", "close QPACK_DECOMPRESSION_FAILED"},
		"CONNECT":                       {"[:method CONNECT|:authority a.test:443]", "200 CONNECT 3 a.test:443"},
		"CONNECT with a path":           {"[:method CONNECT|:authority a.test:443|:path /]", "reset H3_MESSAGE_ERROR"},
		"WebTransport":                  {"4041 00", "close H3_FRAME_UNEXPECTED"},
		"MAX_PUSH_ID after the head":    {post("") + "0d01 00", "close H3_FRAME_UNEXPECTED"},
		"PRIORITY of HTTP/2":            {"0200", "close H3_FRAME_UNEXPECTED"},
		"WINDOW_UPDATE of HTTP/2":       {"0800", "close H3_FRAME_UNEXPECTED"},
		"CONTINUATION of HTTP/2":        {post("") + "0900", "close H3_FRAME_UNEXPECTED"},
		"an empty path":                 {"[:method GET|:scheme https|:authority a.test|:path]", "reset H3_MESSAGE_ERROR"},
		"content-lengths that differ":   {post("|content-length 1|content-length 2") + "0001 61", "reset H3_MESSAGE_ERROR"},
		"a length without content":      {post("|content-length 5"), "reset H3_MESSAGE_ERROR"},
		"half a frame's header":         {post("") + "40", "close H3_FRAME_ERROR"},
		"DATA of 2^61, cut":             {post("") + "00 e000000000000000 61", "close H3_FRAME_ERROR"},
		"an unknown frame of 2^61, cut": {post("") + "21 e000000000000000 61", "close H3_FRAME_ERROR"},
		"a head of 2^61":                {"01 e000000000000000 00", "431"},
		"beyond the static table":       {"0104 0000 ff24", "close QPACK_DECOMPRESSION_FAILED"},
		"an index behind the base":      {"0103 0000 10", "close QPACK_DECOMPRESSION_FAILED"},
		"a name longer than its frame":  {"0105 0000 27 ff7f", "close QPACK_DECOMPRESSION_FAILED"},
		"a name of 2^62 and more":       {"010d 0000 27 ffffffffffffffffff7f", "close QPACK_DECOMPRESSION_FAILED"},
	} {
		t.Run(name, func(t *testing.T) {
			k := r.talk()
			k.uni(unhex(t, "00 0400"))
			in := unhex(t, tc.in)
			if got := k.ask(in, true); got != tc.want && !strings.HasPrefix(got, tc.want+" ") {
				t.Errorf("%q, want %q\n%s", got, tc.want, r.log)
			}
			if strings.HasPrefix(tc.want, "close") {
				return
			}
			if got := k.ask(unhex(t, get), true); got != "200 GET 3 a.test" {
				t.Errorf("after it came %q", got)
			}
			if len(in) > 200 {
				return
			}
			s := k.open(nil, false) // by the byte
			for _, c := range in {
				s.Write([]byte{c})
				time.Sleep(time.Millisecond / 4)
			}
			s.Close()
			if got := k.response(s); got != tc.want && !strings.HasPrefix(got, tc.want+" ") {
				t.Errorf("by the byte: %q, want %q", got, tc.want)
			}
		})
	}
}

// A client's unidirectional streams are accepted, or end the connection with the right code.
func TestUnidirectionalStreams(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	for name, tc := range map[string]struct {
		streams []string // those that end with a ! are closed
		want    string   // "": the connection goes on
	}{
		"all that there are":       {[]string{"00 0400", "02", "03"}, ""},
		"settings":                 {[]string{"00 0405 06 5000 0801"}, ""},
		"instructions":             {[]string{"00 0400", "02 20", "03 44"}, ""},
		"an unknown type":          {[]string{"00 0400", "21 6162", "4054 00"}, ""},
		"priorities":               {[]string{"00 0400 800f0700 05 00 753d31 2c"}, ""},
		"half a type":              {[]string{"00 0400", "40!"}, ""},
		"half a type, held":        {[]string{"40", "00 0400", "02", "03"}, ""},
		"a table, after half":      {[]string{"40", "00 0400", "02 3fbd01"}, "close QPACK_ENCODER_STREAM_ERROR"},
		"a table, at the end":      {[]string{"00 0400", "02 3fbd01!"}, "close QPACK_ENCODER_STREAM_ERROR"},
		"no settings":              {[]string{"00 0701 00"}, "close H3_MISSING_SETTINGS"},
		"settings twice":           {[]string{"00 0400 0400"}, "close H3_FRAME_UNEXPECTED"},
		"a setting twice":          {[]string{"00 0404 0601 0602"}, "close H3_SETTINGS_ERROR"},
		"a setting of HTTP/2's":    {[]string{"00 0402 0200"}, "close H3_SETTINGS_ERROR"},
		"DATA":                     {[]string{"00 0400 0000"}, "close H3_FRAME_UNEXPECTED"},
		"two control streams":      {[]string{"00 0400", "00 0400"}, "close H3_STREAM_CREATION_ERROR"},
		"two encoders":             {[]string{"00 0400", "02", "02"}, "close H3_STREAM_CREATION_ERROR"},
		"two decoders":             {[]string{"00 0400", "03", "03"}, "close H3_STREAM_CREATION_ERROR"},
		"a push":                   {[]string{"00 0400", "01 00"}, "close H3_STREAM_CREATION_ERROR"},
		"the end of the control":   {[]string{"00 0400!"}, "close H3_CLOSED_CRITICAL_STREAM"},
		"the end of the encoder":   {[]string{"00 0400", "02!"}, "close H3_CLOSED_CRITICAL_STREAM"},
		"the end of the decoder":   {[]string{"00 0400", "03!"}, "close H3_CLOSED_CRITICAL_STREAM"},
		"a table":                  {[]string{"00 0400", "02 3fbd01"}, "close QPACK_ENCODER_STREAM_ERROR"},
		"an entry":                 {[]string{"00 0400", "02 4161 0162"}, "close QPACK_ENCODER_STREAM_ERROR"},
		"an acknowledgment":        {[]string{"00 0400", "03 84"}, "close QPACK_DECODER_STREAM_ERROR"},
		"an increment":             {[]string{"00 0400", "03 01"}, "close QPACK_DECODER_STREAM_ERROR"},
		"GOAWAY that grows":        {[]string{"00 0400 0701 00 0701 04"}, "close H3_ID_ERROR"},
		"MAX_PUSH_ID that shrinks": {[]string{"00 0400 0d01 05 0d01 04"}, "close H3_ID_ERROR"},
		"CANCEL_PUSH":              {[]string{"00 0400 0301 00"}, "close H3_ID_ERROR"},
		"a long frame":             {[]string{"00 04 80010000"}, "close H3_EXCESSIVE_LOAD"},
		"a frame of 2^62 - 1":      {[]string{"00 0400 07 ffffffffffffffff"}, "close H3_EXCESSIVE_LOAD"},
		"half of SETTINGS, held":   {[]string{"00 04", "02 20"}, ""},
		"DATA first":               {[]string{"00 0001 00"}, "close H3_MISSING_SETTINGS"},
		"HEADERS":                  {[]string{"00 0400 0100"}, "close H3_FRAME_UNEXPECTED"},
		"PUSH_PROMISE":             {[]string{"00 0400 0501 00"}, "close H3_FRAME_UNEXPECTED"},
		"PING of HTTP/2":           {[]string{"00 0400 0600"}, "close H3_FRAME_UNEXPECTED"},
		"a setting of HTTP/2's, 3": {[]string{"00 0402 0300"}, "close H3_SETTINGS_ERROR"},
		"a setting of HTTP/2's, 4": {[]string{"00 0402 0400"}, "close H3_SETTINGS_ERROR"},
		"a setting of HTTP/2's, 5": {[]string{"00 0402 0500"}, "close H3_SETTINGS_ERROR"},
		"extended CONNECT, 2":      {[]string{"00 0402 0802"}, "close H3_SETTINGS_ERROR"},
		"half a setting":           {[]string{"00 0401 06"}, "close H3_FRAME_ERROR"},
		"GOAWAY without an id":     {[]string{"00 0400 0700"}, "close H3_FRAME_ERROR"},
		"GOAWAY with more":         {[]string{"00 0400 0702 0000"}, "close H3_FRAME_ERROR"},
		"GOAWAY that shrinks":      {[]string{"00 0400 0701 08 0701 04"}, ""},
		"MAX_PUSH_ID with more":    {[]string{"00 0400 0d02 0505"}, "close H3_FRAME_ERROR"},
		"MAX_PUSH_ID that grows":   {[]string{"00 0400 0d01 05 0d01 06"}, ""},
		"unknown frames":           {[]string{"00 0402 2105 2102 0101"}, ""},
		"a duplicate":              {[]string{"00 0400", "02 00"}, "close QPACK_ENCODER_STREAM_ERROR"},
		"a named entry":            {[]string{"00 0400", "02 c00161"}, "close QPACK_ENCODER_STREAM_ERROR"},
		"an increment of 0":        {[]string{"00 0400", "03 00"}, "close QPACK_DECODER_STREAM_ERROR"},
		"a priority of no request": {[]string{"00 0400 800f0700 01 02"}, "close H3_ID_ERROR"},
		"a push's priority":        {[]string{"00 0400 800f0701 01 00"}, "close H3_ID_ERROR"},
		"a priority without sense": {[]string{"00 0400 800f0700 04 00 3d3d3d"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := r.talk()
			for _, s := range tc.streams {
				in, end := strings.CutSuffix(s, "!")
				if u := k.uni(unhex(t, in)); end {
					u.Close()
				}
			}
			if tc.want != "" {
				if got := k.closed(); got != tc.want {
					t.Errorf("%q, want %q", got, tc.want)
				}
				return
			}
			for range 3 {
				if got := k.ask(unhex(t, get), true); got != "200 GET 3 a.test" {
					t.Errorf(`got %q, want "200 GET 3 a.test"`, got)
				}
			}
		})
	}
}
