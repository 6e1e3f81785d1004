package fields_test

import (
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/grpc/internal/fields"
)

// A timeout is written in the finest unit whose eight digits suffice, rounded up.
func TestAppendTimeout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0n", 0: "0n", 1: "1n", 99999999: "99999999n", 1e8: "100000u", 1e8 + 1: "100001u",
		time.Hour: "3600000m", 100000 * time.Hour: "6000000M", math.MaxInt64: "2562048H",
	} {
		if got := string(fields.AppendTimeout(nil, d)); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

// A timeout has one to eight digits and a unit. What a Duration cannot hold is the longest one.
func TestParseTimeout(t *testing.T) {
	for v, want := range map[string]time.Duration{
		"1n": 1, "2u": 2000, "3m": 3 * time.Millisecond, "4S": 4 * time.Second, "5M": 5 * time.Minute, "6H": 6 * time.Hour,
		"99999999H": math.MaxInt64, "00000001S": time.Second, "0n": 0,
	} {
		if got, ok := fields.ParseTimeout([]byte(v)); !ok || got != want {
			t.Errorf("%s: got %v, %t, want %v", v, got, ok, want)
		}
	}
	for _, v := range []string{"", "1", "S", "123456789S", "-1S", "1 S", "1s", "1h", "1.5S", "1SS"} {
		if got, ok := fields.ParseTimeout([]byte(v)); ok {
			t.Errorf("%q: got %v, want a refusal", v, got)
		}
	}
}

// A status message keeps printable ASCII as it is and encodes the rest; decoding gives the text back.
func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain text ~": "plain text ~", "50%": "50%25", "a\nb": "a%0Ab", "é": "%C3%A9", "\x7f": "%7F", "x\xff": "x%EF%BF%BD",
	} {
		got := fields.EncodeMessage(text)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if back := fields.DecodeMessage(got); utf8.ValidString(text) && back != text {
			t.Errorf("%q came back as %q", text, back)
		}
	}
	for v, want := range map[string]string{"%": "%", "%4": "%4", "%zz": "%zz", "a%41": "aA", "%c3%A9": "é", "%%41": "%A", "100%x": "100%x"} {
		if got := fields.DecodeMessage(v); got != want {
			t.Errorf("decode %q: got %q, want %q", v, got, want)
		}
	}
}

// Encoded messages are printable ASCII, and decoding them gives the text back.
func FuzzMessage(f *testing.F) {
	f.Add("50% of é\n")
	f.Fuzz(func(t *testing.T, text string) {
		v := fields.EncodeMessage(text)
		for i := range len(v) {
			if v[i] < ' ' || v[i] > '~' {
				t.Fatalf("%q is encoded as %q", text, v)
			}
		}
		if back := fields.DecodeMessage(v); utf8.ValidString(text) && back != text {
			t.Fatalf("%q came back as %q", text, back)
		}
		fields.DecodeMessage(text)
	})
}

// Binary metadata is base64 with or without padding, several values in a line; other metadata is as it is.
func TestAppendValues(t *testing.T) {
	md := metadata.MD{}
	for _, line := range [][2]string{{"a", "x, y"}, {"b-bin", "AAE="}, {"b-bin", "AAE"}, {"b-bin", "AA, AQ"}} {
		if !fields.AppendValues(md, line[0], line[1]) {
			t.Errorf("%v was refused", line)
		}
	}
	if got := md["a"]; len(got) != 1 || got[0] != "x, y" {
		t.Errorf("a: got %q", got)
	}
	if got := md["b-bin"]; len(got) != 4 || got[0] != "\x00\x01" || got[1] != "\x00\x01" || got[2] != "\x00" || got[3] != "\x01" {
		t.Errorf("b-bin: got %q", got)
	}
	if fields.AppendValues(md, "c-bin", "!") || len(md["c-bin"]) > 0 {
		t.Error("what is not base64 was accepted")
	}
	if v := fields.EncodeValue("c-bin", "\x00\x01"); v != "AAE" {
		t.Errorf("got %q", v)
	}
}

// A status survives its fields: code, message and details. Details of another code are left out.
func TestStatus(t *testing.T) {
	st, _ := status.New(codes.NotFound, "no é").WithDetails(status.New(codes.OK, "").Proto())
	for _, st := range []*status.Status{st, status.New(codes.Internal, ""), status.New(99, "x")} {
		err := fields.EncodeStatus(st).Err()
		if got := status.Convert(err); got.Code() != st.Code() || got.Message() != st.Message() || len(got.Details()) != len(st.Details()) {
			t.Errorf("got %v, want %v", got, st)
		}
	}
	if err := fields.EncodeStatus(nil).Err(); err != nil {
		t.Errorf("OK: got %v", err)
	}
	s := fields.EncodeStatus(st)
	s.Code = "13"
	if got := status.Convert(s.Err()); got.Code() != codes.Internal || len(got.Details()) > 0 {
		t.Errorf("details of another code: got %v", got)
	}
	if got := status.Code(fields.Status{Code: "x"}.Err()); got != codes.Unknown {
		t.Errorf("a code that is no number: got %v", got)
	}
	if got := (fields.Status{Code: "00", Message: "x"}).Err(); got != nil {
		t.Errorf("00: got %v", got)
	}
}

// Metadata that HTTP cannot carry is refused.
func TestValid(t *testing.T) {
	for name, value := range map[string]string{"": "x", "a b": "x", "é": "x", "a": "x\n", "b": "é"} {
		if fields.Valid(metadata.MD{name: {value}}) == nil {
			t.Errorf("%q: %q is valid", name, value)
		}
	}
	for name, value := range map[string]string{"a-b_c.9": " ~", "A": "", "x-bin": "\x00é", ":path": "x"} {
		if err := fields.Valid(metadata.MD{name: {value}}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}
