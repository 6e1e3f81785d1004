package http2

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

// golden are frames and their bytes, as drawn in RFC 9113 §6.
var golden = []struct {
	name string
	make func() []byte
	want string
}{
	{"DATA header", func() []byte { return FrameHeader{0x123456, FrameData, FlagEndStream, 0x7fffffff}.Append(nil) }, "123456 00 01 7fffffff"},
	{"RST_STREAM", func() []byte { return appendRST(nil, 5, ErrCodeCancel) }, "000004 03 00 00000005 00000008"},
	{"PING", func() []byte { return appendPing(nil, FlagAck, 0x0102030405060708) }, "000008 06 01 00000000 0102030405060708"},
	{"GOAWAY", func() []byte { return appendGoAway(nil, 7, ErrCodeEnhanceYourCalm, "hi") }, "00000a 07 00 00000000 00000007 0000000b 6869"},
	{"WINDOW_UPDATE", func() []byte { return appendWindowUpdate(nil, 3, 0x10000) }, "000004 08 00 00000003 00010000"},
	{"a server's first", func() []byte { return NewServer(&Config{}, 0).AppendPending(nil) },
		"000012 04 00 00000000 0003 000000fa 0006 00010000 0009 00000001"},
	{"all settings of a server", func() []byte {
		return NewServer(&Config{MaxStreams: 7, DecoderTable: 8192, InitialWindow: 1 << 17, MaxFrameSize: 1 << 15, ConnectProtocol: true, MaxHeaderList: 1 << 14}, 0).AppendPending(nil)
	}, "00002a 04 00 00000000 0003 00000007 0008 00000001 0001 00002000 0004 00020000 0005 00008000 0006 00004000 0009 00000001" +
		"000004 08 00 00000000 00010001"},
	{"a client's first", func() []byte { return NewClient(&Config{}, 0).AppendPending(nil) },
		hex.EncodeToString([]byte(Preface)) + "000012 04 00 00000000 0002 00000000 0006 00010000 0009 00000001"},
}

// Frames are encoded to the bytes of the table.
func TestGoldenFrames(t *testing.T) {
	for _, c := range golden {
		want, err := hex.DecodeString(strings.ReplaceAll(c.want, " ", ""))
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := c.make(); !bytes.Equal(got, want) {
			t.Errorf("%s\n got %x\nwant %x", c.name, got, want)
		}
	}
	if h := ParseFrameHeader([]byte("\x12\x34\x56\x00\x01\xff\xff\xff\xff")); h != (FrameHeader{0x123456, FrameData, FlagEndStream, maxStreamID}) {
		t.Error(h)
	}
}

// brokenFrames end a server's connection in any state.
var brokenFrames = []struct{ name, in, want string }{
	{"too long", frame(0xbe, 0, 0, strings.Repeat("x", 16385)), "frame longer than SETTINGS_MAX_FRAME_SIZE"},
	{"DATA on 0", data(0, 0, "x"), "frame of a stream on stream 0"},
	{"HEADERS on 0", frame(FrameHeaders, FlagEndHeaders, 0, "\x82"), "frame of a stream on stream 0"},
	{"HEADERS on an even stream", frame(FrameHeaders, FlagEndHeaders, 2, "\x82"), "stream identifier of the other side's kind"},
	{"PRIORITY on 0", frame(FramePriority, 0, 0, "12345"), "frame of a stream on stream 0"},
	{"RST_STREAM on 0", reset(0, ErrCodeCancel), "frame of a stream on stream 0"},
	{"CONTINUATION on 0", frame(FrameContinuation, 0, 0, ""), "frame of a stream on stream 0"},
	{"SETTINGS on 1", frame(FrameSettings, 0, 1, ""), "frame of the connection on a stream"},
	{"PING on 1", frame(FramePing, 0, 1, "12345678"), "frame of the connection on a stream"},
	{"GOAWAY on 1", frame(FrameGoAway, 0, 1, "12345678"), "frame of the connection on a stream"},
	{"PRIORITY_UPDATE on 1", frame(FramePriorityUpdate, 0, 1, "12345678"), "frame of the connection on a stream"},
	{"PRIORITY_UPDATE of 3", frame(FramePriorityUpdate, 0, 0, "123"), "payload does not have the length of its frame type"},
	{"PING of 7", frame(FramePing, 0, 0, "1234567"), "payload does not have the length of its frame type"},
	{"PING of 9", frame(FramePing, 0, 0, "123456789"), "payload does not have the length of its frame type"},
	{"RST_STREAM of 3", frame(FrameRSTStream, 0, 1, "123"), "payload does not have the length of its frame type"},
	{"RST_STREAM of 5", frame(FrameRSTStream, 0, 1, "12345"), "payload does not have the length of its frame type"},
	{"WINDOW_UPDATE of 3", frame(FrameWindowUpdate, 0, 0, "123"), "payload does not have the length of its frame type"},
	{"WINDOW_UPDATE of 5", frame(FrameWindowUpdate, 0, 0, "12345"), "payload does not have the length of its frame type"},
	{"GOAWAY of 7", frame(FrameGoAway, 0, 0, "1234567"), "payload does not have the length of its frame type"},
	{"SETTINGS of 5", frame(FrameSettings, 0, 0, "12345"), "SETTINGS is no list of 6 bytes each"},
	{"SETTINGS ack with a payload", frame(FrameSettings, FlagAck, 0, "123456"), "acknowledgement of SETTINGS with a payload"},
	{"DATA, padded, of 0", frame(FrameData, FlagPadded, 1, ""), "payload does not have the length of its frame type"},
	{"HEADERS with priority of 4", frame(FrameHeaders, FlagPriority, 1, "1234"), "payload does not have the length of its frame type"},
	{"HEADERS, padded, with priority of 5", frame(FrameHeaders, FlagPriority|FlagPadded, 1, "12345"), "payload does not have the length of its frame type"},
	{"HEADERS, padded too much", frame(FrameHeaders, FlagPadded|FlagEndHeaders, 1, "\x02\x82"), "padding is longer than its frame"},
	{"push", frame(FramePushPromise, FlagEndHeaders, 1, u32(2)+"\x82"), "PUSH_PROMISE, which nobody allowed"},
	{"push on 0", frame(FramePushPromise, FlagEndHeaders, 0, u32(2)+"\x82"), "frame of a stream on stream 0"},
	{"lone CONTINUATION", frame(FrameContinuation, FlagEndHeaders, 1, "\x82"), "CONTINUATION without an open header block"},
	{"block broken by PING", frame(FrameHeaders, 0, 1, "\x82") + frame(FramePing, 0, 0, "12345678"), "another frame inside a header block"},
	{"block broken by DATA", frame(FrameHeaders, 0, 1, "\x82") + data(1, 0, "x"), "another frame inside a header block"},
	{"block broken by another", frame(FrameHeaders, 0, 1, "\x82") + frame(FrameContinuation, 0, 3, "\x82"), "another frame inside a header block"},
	{"block broken by HEADERS", frame(FrameHeaders, 0, 1, "\x82") + frame(FrameHeaders, 0, 1, "\x82"), "another frame inside a header block"},
	{"ENABLE_PUSH 2", settings(settingPush, 2), "SETTINGS_ENABLE_PUSH is not 0 or 1, or 1 from a server"},
	{"INITIAL_WINDOW_SIZE 2^31", settings(settingWindow, 1<<31), "SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1"},
	{"MAX_FRAME_SIZE below", settings(settingFrameSize, 16383), "SETTINGS_MAX_FRAME_SIZE below 2^14 or above 2^24-1"},
	{"MAX_FRAME_SIZE above", settings(settingFrameSize, 1<<24), "SETTINGS_MAX_FRAME_SIZE below 2^14 or above 2^24-1"},
	{"ENABLE_CONNECT_PROTOCOL 2", settings(settingConnect, 2), "SETTINGS_ENABLE_CONNECT_PROTOCOL is not 0 or 1, or 0 after 1"},
	{"ENABLE_CONNECT_PROTOCOL taken back", settings(settingConnect, 1, settingConnect, 0), "SETTINGS_ENABLE_CONNECT_PROTOCOL is not 0 or 1, or 0 after 1"},
	{"NO_RFC7540_PRIORITIES 2", settings(settingNoLegacy, 2), "SETTINGS_NO_RFC7540_PRIORITIES is not 0 or 1"},
	{"PRIORITY of an idle stream on itself", frame(FramePriority, 0, 1, u32(1)+"\x10"), "stream depends on itself"},
}

// Each malformed frame ends the connection with the error of the table.
func TestBrokenFrames(t *testing.T) {
	for _, c := range brokenFrames {
		tk := server(t, Config{})
		tk.send(c.in)
		got := tk.next()
		if !strings.HasPrefix(got, "error http2: "+c.want+" (") {
			t.Errorf("%s: %s", c.name, got)
		}
		code := tk.c.core.err.Code
		tk.says("GOAWAY " + goAwayLast(tk.c) + " " + code.String())
	}
}

func goAwayLast(c *Conn) string {
	if c.core.streams.next == 1 {
		return "0"
	}
	return "1"
}

// Padding that is longer than its frame is an error; padding that fills the frame is not (RFC 9113 §6.1).
func TestPaddingTooLong(t *testing.T) {
	tk := server(t, Config{})
	tk.send(tk.post(1) + data(1, FlagPadded, "\x03ab"))
	tk.want("Headers 1 POST https example.com /", "error http2: padding is longer than its frame (PROTOCOL_ERROR, RFC 9113 §6.1)")
	tk = server(t, Config{})
	tk.send(tk.post(1) + data(1, FlagPadded, "\x02ab") + data(1, FlagPadded|FlagEndStream, "\x00"))
	tk.want("Headers 1 POST https example.com /", `Data 1 "" END`)
}

// A connection begins with the preface, from a client, and with SETTINGS that are valid.
func TestFirstFrame(t *testing.T) {
	for in, want := range map[string]string{
		"GET / HTTP/1.1\r\n":                             "the connection does not begin with the client's preface",
		Preface + frame(FramePing, 0, 0, "12345678"):     "the first frame is not SETTINGS",
		Preface + frame(FrameSettings, FlagAck, 0, ""):   "the first frame is not SETTINGS",
		Preface + settings(settingFrameSize, 5) + "junk": "SETTINGS_MAX_FRAME_SIZE below 2^14 or above 2^24-1",
	} {
		tk := &talk{t: t, c: NewServer(&Config{}, 0), cut: 1}
		tk.send(in)
		if got := tk.next(); !strings.HasPrefix(got, "error http2: "+want) {
			t.Errorf("%q: %s", in, got)
		}
	}
	tk := client(t, Config{})
	tk.send(settings(settingPush, 1))
	tk.want("error http2: SETTINGS_ENABLE_PUSH is not 0 or 1, or 1 from a server (PROTOCOL_ERROR, RFC 9113 §6.5.2)")
	tk = client(t, Config{})
	tk.send(settings(settingPush, 0, settingConnect, 1, settingListSize, 77, settingMaxStreams, 3, 0x7777, 1))
	tk.want("Settings")
	if got := tk.c.PeerSettings(); got != (PeerSettings{MaxStreams: 3, MaxHeaderList: 77, ConnectProtocol: true}) {
		t.Error("settings were not accepted")
	}
}

// PRIORITY frames are checked and otherwise ignored.
func TestPriorityFrames(t *testing.T) {
	prio := func(id, on uint32) string { return frame(FramePriority, 0, id, u32(on)+"\xff") }
	tk := server(t, Config{})
	tk.send(prio(9, 1<<31|7) + prio(2, 0))
	tk.silent()
	tk.send(tk.get(1) + prio(1, 1<<31|1))
	tk.want("Headers 1 GET https example.com / END", "Reset 1 PROTOCOL_ERROR (stream depends on itself)")
	tk.says("RST_STREAM 1 PROTOCOL_ERROR")
	tk.send(tk.get(3) + frame(FramePriority, 0, 3, "1234"))
	tk.want("Headers 3 GET https example.com / END", "Reset 3 FRAME_SIZE_ERROR (PRIORITY is not 5 bytes long)")
	tk.says("RST_STREAM 3 FRAME_SIZE_ERROR")
	flags := FlagEndHeaders | FlagEndStream | FlagPriority | FlagPadded
	tk.send(frame(FrameHeaders, flags, 5, "\x02"+u32(5)+"\x10"+tk.block(getLines...)+"\x00\x00"))
	tk.want("Refused PROTOCOL_ERROR (stream depends on itself)")
	tk.silent()
	tk.says("RST_STREAM 5 PROTOCOL_ERROR")
	tk.send(frame(FrameHeaders, flags, 7, "\x02"+u32(5)+"\x10"+tk.block(getLines...)+"\x00\x00"))
	tk.want("Headers 7 GET https example.com / END")
}

// Ping sends a PING, and its acknowledgement is reported once.
func TestPing(t *testing.T) {
	tk := server(t, Config{})
	tk.c.Ping(1<<63 | 7)
	tk.says("PING 7")
	tk.send(frame(FramePing, FlagAck, 0, "\x00\x00\x00\x00\x00\x00\x00\x07"))
	tk.want("Pong 7")
	tk.send(frame(FramePing, FlagAck, 0, "\x00\x00\x00\x00\x00\x00\x00\x07"))
	tk.silent()
}

// A header section that is larger than the peer's frames is sent in several.
func TestContinuation(t *testing.T) {
	for _, size := range []int{16381, 16382, 16383, 16384, 16385, 40000, 100000} {
		tk := server(t, Config{MaxHeaderList: 1 << 20})
		tk.dec.MaxListBytes = 1 << 20
		tk.send(tk.get(1))
		tk.want("Headers 1 GET https example.com / END")
		value := strings.Repeat("\\", size) // longer as a Huffman code
		out := tk.c.BeginHeaders([]byte("before"), streamOf(tk.c, 1))
		out = tk.c.AppendStatus(out, 200)
		out = tk.c.AppendFieldBytes(out, []byte("big"), []byte(value))
		out = tk.c.AppendSensitive(out, "secret", "s")
		out = tk.c.AppendField(out, "a", "b")
		out = tk.c.EndHeaders(out, true)
		var got string
		frames := tk.frames(out[len("before"):])
		for i, f := range frames {
			if i > 0 && !strings.HasPrefix(f, "CONTINUATION 1") {
				t.Fatal(f[:20])
			}
			got += strings.TrimPrefix(f, "CONTINUATION 1")
		}
		end := " END"
		i := strings.Index(got, end)
		got = got[:i] + got[i+len(end):]
		if want := "HEADERS 1 :status=200 big=" + value + " secret=s a=b"; got != want {
			t.Fatalf("size %d: %d bytes, want %d", size, len(got), len(want))
		}
		if n := (len(out) - 6 - len(frames)*9 + 16383) / 16384; n != len(frames) {
			t.Fatalf("%d frames, want %d", len(frames), n)
		}

		// Decode it again, cut near the boundaries of the frames.
		ck := client(t, Config{MaxHeaderList: 1 << 20})
		ck.ask(true)
		ck.cut = 4099
		ck.send(string(out[6:]))
		ck.want("Headers 1 200 big=" + value + " secret=s a=b END")
	}
}

// Nothing is appended for a stream that cannot send any more.
func TestAppendOnEndedStream(t *testing.T) {
	tk := server(t, Config{})
	tk.send(tk.get(1))
	tk.want("Headers 1 GET https example.com / END")
	s := tk.respond(streamOf(tk.c, 1))
	out := tk.c.BeginHeaders(nil, s)
	out = tk.c.AppendStatus(out, 200)
	out = tk.c.AppendField(out, "a", "b")
	out = tk.c.AppendFieldBytes(out, []byte("a"), []byte("b"))
	out = tk.c.AppendSensitive(out, "a", "b")
	out = tk.c.EndHeaders(out, true)
	out = tk.c.AppendHeaders(out, s, fieldsOf("a: b"), true)
	out, n := tk.c.AppendData(out, s, []byte("x"), true, tk.now)
	tk.c.Ready(s, tk.now)
	tk.c.Reset(s, ErrCodeCancel)
	if out = tk.c.AppendPending(out); len(out) > 0 || n > 0 || tk.c.NextSender() != nil {
		t.Fatalf("%q", out)
	}
}

// Error codes have the names of the RFC, and unknown codes their number.
func TestCodes(t *testing.T) {
	if ErrCodeNo.String() != "NO_ERROR" || ErrCodeHTTP11Required.String() != "HTTP_1_1_REQUIRED" || ErrCode(0xe).String() != "0xe" {
		t.Error(ErrCodeNo, ErrCodeHTTP11Required, ErrCode(0xe))
	}
}
