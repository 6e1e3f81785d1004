package h3frame

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// told reads the pieces and returns their frames.
func told(c *Control, pieces ...[]byte) (all []string, err *Error) {
	for _, p := range pieces {
		if err := c.Read(p, func(ev *Event) {
			switch ev.Type {
			case Settings:
				all = append(all, fmt.Sprintf("%+v", ev.Settings))
			case PriorityUpdateRequest:
				all = append(all, fmt.Sprintf("priority of %d %+v", ev.ID, ev.Priority))
			case GoAway, MaxPushID:
				all = append(all, fmt.Sprintf("%#x %d", ev.Type, ev.ID))
			default:
				all = append(all, fmt.Sprintf("%#x", ev.Type))
			}
		}); err != nil {
			return all, err
		}
	}
	return all, nil
}

const none = "{MaxFieldSection:4611686018427387903 TableCapacity:0 ConnectProtocol:false Datagrams:false WebTransport:false WebTransportSessions:0}"

var controls = map[string]struct {
	in     string
	server bool
	want   string
	err    *Error
}{
	"no settings": {in: "0400", want: none},
	"settings": {in: "040f 014080 065000 074064 0801 3301 2105",
		want: "{MaxFieldSection:4096 TableCapacity:128 ConnectProtocol:true Datagrams:true WebTransport:false WebTransportSessions:0}"},
	"WebTransport": {in: "040e ab603742 01 c0000000c671706a 05",
		want: "{MaxFieldSection:4611686018427387903 TableCapacity:0 ConnectProtocol:false Datagrams:false WebTransport:true WebTransportSessions:5}"},
	"the same setting twice":        {in: "0404 0601 0602", err: errSettingTwice},
	"an unknown setting twice":      {in: "0404 2101 2101", err: errSettingTwice},
	"a setting of HTTP/2":           {in: "0402 0200", err: errSettingHTTP2},
	"a setting of HTTP/2, 0":        {in: "0402 0000", err: errSettingHTTP2},
	"a setting of HTTP/2, 5":        {in: "0402 0500", err: errSettingHTTP2},
	"CONNECT neither on nor off":    {in: "0402 0802", err: errSettingBool},
	"datagrams neither on nor off":  {in: "0402 3302", err: errSettingBool},
	"half a setting":                {in: "0401 06", err: errLength},
	"half a value":                  {in: "0402 0640", err: errLength},
	"half an identifier":            {in: "0401 40", err: errLength},
	"settings twice":                {in: "0400 0400", want: none, err: errSettingsTwice},
	"GOAWAY first":                  {in: "0701 00", err: errSettingsFirst},
	"something unknown first":       {in: "2100", err: errSettingsFirst},
	"DATA":                          {in: "0400 0000", want: none, err: errOnControl},
	"HEADERS":                       {in: "0400 0100", want: none, err: errOnControl},
	"PUSH_PROMISE":                  {in: "0400 0500", want: none, err: errOnControl},
	"HTTP/2's PING":                 {in: "0400 0600", want: none, err: errHTTP2Type},
	"GOAWAY":                        {in: "0400 0701 08 0701 04 0701 04", want: none + "|0x7 8|0x7 4|0x7 4"},
	"GOAWAY that grows":             {in: "0400 0701 04 0701 08", want: none + "|0x7 4", err: errGoAwayMore},
	"GOAWAY of a push":              {in: "0400 0701 05", want: none + "|0x7 5"},
	"a server's GOAWAY of a push":   {in: "0400 0701 05", server: true, want: none, err: errGoAwayID},
	"a server's GOAWAY":             {in: "0400 0701 08", server: true, want: none + "|0x7 8"},
	"GOAWAY without":                {in: "0400 0700", want: none, err: errLength},
	"GOAWAY with more":              {in: "0400 0702 0000", want: none, err: errLength},
	"GOAWAY with half":              {in: "0400 0701 40", want: none, err: errLength},
	"MAX_PUSH_ID":                   {in: "0400 0d01 00 0d01 05 0d01 05", want: none + "|0xd 0|0xd 5|0xd 5"},
	"MAX_PUSH_ID that shrinks":      {in: "0400 0d01 05 0d01 04", want: none + "|0xd 5", err: errMaxPushLess},
	"a server's MAX_PUSH_ID":        {in: "0400 0d01 05", server: true, want: none, err: errMaxPushServer},
	"CANCEL_PUSH":                   {in: "0400 0301 00", want: none, err: errCancelPush},
	"a priority":                    {in: "0400 800f0700 05 04 753d312c", want: none + "|priority of 4 {Urgency:3 Incremental:false}"},
	"a priority that is understood": {in: "0400 800f0700 07 08 753d312c2069", want: none + "|priority of 8 {Urgency:1 Incremental:true}"},
	"a priority of a push":          {in: "0400 800f0701 01 00", want: none, err: errPriorityID},
	"a priority of no request":      {in: "0400 800f0700 01 02", want: none, err: errPriorityID},
	"a priority of nothing":         {in: "0400 800f0700 00", want: none, err: errLength},
	"a server's priority":           {in: "0400 800f0700 01 00", server: true, want: none, err: errPriorityFrom},
	"something unknown":             {in: "0400 2103 616263 4021 00 0701 04", want: none + "|0x21|0x21|0x7 4"},
	"something long":                {in: "0400 07 5001", want: none, err: errLong},
	"long settings":                 {in: "04 5001", err: errLong},
	"something long and unknown":    {in: "0400 21 ffffffffffffffff 6162", want: none + "|0x21"},
}

// Frames of a control stream are read or refused the same way whole, in two pieces and byte by byte.
func TestControl(t *testing.T) {
	for name, tc := range controls {
		t.Run(name, func(t *testing.T) {
			in := unhex(t, tc.in)
			want := func(how string, pieces ...[]byte) {
				t.Helper()
				got, err := told(&Control{Server: tc.server}, pieces...)
				if joined := strings.Join(got, "|"); joined != tc.want || err != tc.err {
					t.Errorf("%s: %s, %v; want %s, %v", how, joined, err, tc.want, tc.err)
				}
			}
			want("whole", in)
			for i := range in {
				want(fmt.Sprint("cut at ", i), in[:i], in[i:])
			}
			want("by the byte", slices.Collect(slices.Chunk(in, 1))...)
		})
	}
}

// Memory grows with received bytes, and a frame that is too long is refused by its header.
func TestControlHoldsLittle(t *testing.T) {
	c := new(Control)
	if _, err := told(c, unhex(t, "04 5000 06")); err != nil || cap(c.units.partial) > 64 {
		t.Errorf("%d bytes are held, %v", cap(c.units.partial), err)
	}
}

// Appended settings and GOAWAY frames are read back.
func TestAppend(t *testing.T) {
	b := AppendSettings(nil, SettingValue{MaxFieldSectionSize, 4096}, SettingValue{EnableConnectProtocol, 1}, SettingValue{EnableWebTransport, 1}, SettingValue{WebTransportSessions, 1 << 40})
	b = AppendGoAway(b, 1<<40)
	got, err := told(new(Control), b)
	want := "{MaxFieldSection:4096 TableCapacity:0 ConnectProtocol:true Datagrams:false WebTransport:true WebTransportSessions:1099511627776}|0x7 1099511627776"
	if s := strings.Join(got, "|"); s != want || err != nil {
		t.Errorf("%s, %v; want %s", s, err, want)
	}
}

// The numbers of RFC 9000 appendix A.1, the borders of each size and all others are read back.
func TestVarint(t *testing.T) {
	for in, want := range map[string]uint64{
		"c2197c5eff14e88c": 151288809941952652, "9d7f3e7d": 494878333, "7bbd": 15293, "25": 37, "4025": 37,
	} {
		b := unhex(t, in)
		if v, n := Varint(b); v != want || n != len(b) {
			t.Errorf("%s: %d of %d bytes, want %d", in, v, n, want)
		}
		for i := range b {
			if _, n := Varint(b[:i]); n != 0 {
				t.Errorf("%s: %d of its bytes are enough", in, i)
			}
		}
	}
	for _, border := range []uint64{0, 1 << 6, 1 << 14, 1 << 30, MaxVarint} {
		for _, v := range []uint64{border - 1, border, border + 1} {
			if v > MaxVarint {
				continue
			}
			b := AppendVarint(nil, v)
			if got, n := Varint(b); got != v || n != len(b) {
				t.Errorf("%d comes back as %d of %d bytes", v, got, n)
			}
			if size := map[bool]int{v < 1<<6: 1, v >= 1<<6 && v < 1<<14: 2, v >= 1<<14 && v < 1<<30: 4, v >= 1<<30: 8}[true]; len(b) != size {
				t.Errorf("%d takes %d bytes, want %d", v, len(b), size)
			}
		}
	}
}

// Codes have the names of their RFCs.
func TestCodes(t *testing.T) {
	for c, want := range map[Code]string{
		0x100: "H3_NO_ERROR", 0x10b: "H3_REQUEST_REJECTED", 0x110: "H3_VERSION_FALLBACK", 0x33: "H3_DATAGRAM_ERROR",
		0x200: "QPACK_DECOMPRESSION_FAILED", 0x201: "QPACK_ENCODER_STREAM_ERROR", 0x202: "QPACK_DECODER_STREAM_ERROR", 0x111: "0x111", 0: "0x0",
		0x170d7b68: "WT_SESSION_GONE", 0x3994bd84: "WT_BUFFERED_STREAM_REJECTED",
	} {
		if c.String() != want {
			t.Errorf("%#x: %s, want %s", uint64(c), c, want)
		}
	}
}

// How the bytes are cut makes no difference.
func FuzzControl(f *testing.F) {
	for _, tc := range controls {
		f.Add(unhex(f, tc.in), uint16(3), tc.server)
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint16, server bool) {
		at := int(cut) % (len(in) + 1)
		whole, err := told(&Control{Server: server}, in)
		want := fmt.Sprint(whole, err)
		for _, pieces := range [][][]byte{{in[:at], in[at:]}, slices.Collect(slices.Chunk(in, 1))} {
			all, err := told(&Control{Server: server}, pieces...)
			if got := fmt.Sprint(all, err); got != want {
				t.Fatalf("in pieces %s, whole %s", got, want)
			}
		}
	})
}
