package http2

import (
	"bytes"
	"strings"
	"testing"
)

const msec = 1_000_000

// A stream sends no more than its window, which can become negative when the peer's settings change (RFC 9113 §6.9.2).
func TestSendWindows(t *testing.T) {
	tk := server(t, Config{})
	tk.send(settings(settingWindow, 10) + tk.get(1) + tk.get(3))
	tk.want("Settings", "Headers 1 GET https example.com / END", "Headers 3 GET https example.com / END")
	tk.says("SETTINGS ack")
	s := streamOf(tk.c, 1)
	body := []byte("0123456789abcdef")
	out, n := tk.c.AppendData(nil, s, body, true, tk.now)
	tk.wrote(out, `DATA 1 "0123456789"`)
	if n != 10 || s.SendWindow() != 0 || tk.c.SendWindow() != 65525 {
		t.Fatalf("n %d, windows %d %d", n, s.SendWindow(), tk.c.SendWindow())
	}
	if out, n := tk.c.AppendData(nil, s, body[10:], true, tk.now); len(out) > 0 || n != 0 {
		t.Fatal("sent without a window")
	}

	// RFC 9113 §6.9.2: a smaller initial window can make a window negative.
	tk.send(settings(settingWindow, 4))
	tk.want("Settings")
	tk.says("SETTINGS ack")
	if s.SendWindow() != -6 || streamOf(tk.c, 3).SendWindow() != 4 {
		t.Fatalf("windows %d %d", s.SendWindow(), streamOf(tk.c, 3).SendWindow())
	}
	tk.send(windowUpdate(1, 6))
	tk.silent()
	tk.send(windowUpdate(1, 2))
	tk.want("Window 1")
	out, _ = tk.c.AppendData(nil, s, body[10:], true, tk.now)
	tk.wrote(out, `DATA 1 "ab"`)
	tk.send(settings(settingWindow, 100))
	tk.want("Settings")
	tk.says("SETTINGS ack")
	out, n = tk.c.AppendData(nil, s, body[12:], true, tk.now)
	tk.wrote(out, `DATA 1 "cdef" END`)
	if n != 4 || s.State() != StateClosed {
		t.Fatalf("n %d, state %d", n, s.State())
	}
}

// All streams together send no more than the connection's window.
func TestConnectionWindow(t *testing.T) {
	tk := server(t, Config{})
	tk.send(settings(settingWindow, 1<<20) + tk.get(1) + tk.get(3))
	tk.want("Settings", "Headers 1 GET https example.com / END", "Headers 3 GET https example.com / END")
	s := streamOf(tk.c, 1)
	tk.c.Ready(s, tk.now)
	if _, n := tk.c.AppendData(nil, s, make([]byte, 1<<20), true, tk.now); n != 65535 {
		t.Fatalf("sent %d bytes", n)
	}
	if tk.c.NextSender() != nil {
		t.Fatal("a stream may send without a window")
	}
	tk.send(windowUpdate(0, 1))
	tk.want("Window")
	if tk.c.NextSender() != s {
		t.Fatal("the stream may not send")
	}
	out, n := tk.c.AppendData(nil, s, make([]byte, 500), true, tk.now)
	if n != 1 || !bytes.Equal(out, []byte{0, 0, 1, 0, 0, 0, 0, 0, 1, 0}) {
		t.Fatalf("%d %x", n, out)
	}
	// An empty DATA frame with END_STREAM needs no window.
	if out, n := tk.c.AppendData(nil, streamOf(tk.c, 3), nil, true, tk.now); n != 0 || len(out) != FrameHeaderLen {
		t.Fatalf("%d %x", n, out)
	}
}

// Data is cut into frames of the size that the peer allows.
func TestDataIsCutAtTheFrameSize(t *testing.T) {
	tk := server(t, Config{})
	tk.send(settings(settingFrameSize, 20000) + tk.get(1))
	tk.want("Settings", "Headers 1 GET https example.com / END")
	out, n := tk.c.AppendData(nil, streamOf(tk.c, 1), bytes.Repeat([]byte("x"), 50000), true, tk.now)
	if n != 50000 {
		t.Fatal(n)
	}
	tk.wrote(out, "SETTINGS ack", "DATA 1 \""+strings.Repeat("x", 20000)+"\"", "DATA 1 \""+strings.Repeat("x", 20000)+"\"",
		"DATA 1 \""+strings.Repeat("x", 10000)+"\" END")
}

// A window that grows above 2^31-1, or by 0, is an error of the stream or of the connection (RFC 9113 §6.9).
func TestWindowOverflow(t *testing.T) {
	tk := server(t, Config{})
	tk.send(tk.get(1) + windowUpdate(1, maxWindow-65535))
	tk.want("Headers 1 GET https example.com / END")
	tk.silent()
	tk.send(windowUpdate(1, 1))
	tk.want("Reset 1 FLOW_CONTROL_ERROR (window grown above 2^31-1)")
	tk.says("RST_STREAM 1 FLOW_CONTROL_ERROR")
	tk.send(windowUpdate(0, maxWindow))
	tk.want("error http2: window grown above 2^31-1 (FLOW_CONTROL_ERROR, RFC 9113 §6.9.1)")
	tk.says("GOAWAY 1 FLOW_CONTROL_ERROR")

	tk = server(t, Config{})
	tk.send(tk.get(1) + windowUpdate(1, maxWindow-65535) + settings(settingWindow, 65536))
	tk.want("Headers 1 GET https example.com / END", "error http2: window grown above 2^31-1 (FLOW_CONTROL_ERROR, RFC 9113 §6.9.1)")

	tk = server(t, Config{})
	tk.send(windowUpdate(0, maxWindow-65535)) // the largest there is
	tk.silent()
	tk.send(windowUpdate(0, 1))
	tk.want("error http2: window grown above 2^31-1 (FLOW_CONTROL_ERROR, RFC 9113 §6.9.1)")

	tk = server(t, Config{})
	tk.send(windowUpdate(0, 0))
	tk.want("error http2: WINDOW_UPDATE of 0 (PROTOCOL_ERROR, RFC 9113 §6.9)")
}

// recvData feeds n bytes in frames of the largest size and returns the events.
func (tk *talk) upload(id uint32, n int) (ev string) {
	tk.t.Helper()
	for n > 0 {
		k := min(n, minFrameSize)
		tk.send(data(id, 0, string(make([]byte, k))))
		n -= k
		if ev = tk.next(); !strings.HasPrefix(ev, "Data") {
			return ev
		}
	}
	return "ok"
}

// DATA beyond a stream's window resets the stream, and a WINDOW_UPDATE is sent when half of the window was consumed.
func TestReceiveWindowOfStream(t *testing.T) {
	tk := server(t, Config{InitialWindow: 20000})
	tk.send(tk.post(1) + tk.post(3))
	tk.want("Headers 1 POST https example.com /", "Headers 3 POST https example.com /")
	if ev := tk.upload(1, 20000); ev != "ok" {
		t.Fatal(ev)
	}
	if ev := tk.upload(1, 1); ev != "Reset 1 FLOW_CONTROL_ERROR (more DATA than the window lets through)" {
		t.Fatal(ev)
	}
	tk.says("RST_STREAM 1 FLOW_CONTROL_ERROR")

	// A WINDOW_UPDATE is sent when half a window was consumed, not before.
	s := streamOf(tk.c, 3)
	if ev := tk.upload(3, 20000); ev != "ok" {
		t.Fatal(ev)
	}
	tk.c.Consumed(s, 9999, tk.now+second)
	tk.says()
	tk.c.Consumed(s, 1, tk.now+second)
	tk.says("WINDOW_UPDATE 3 10000")
	if s.Unconsumed() != 10000 {
		t.Fatal(s.Unconsumed())
	}
	if ev := tk.upload(3, 10000); ev != "ok" {
		t.Fatal(ev)
	}
	if ev := tk.upload(3, 1); !strings.HasPrefix(ev, "Reset 3 FLOW_CONTROL_ERROR") {
		t.Fatal(ev)
	}
}

// Until the peer has acknowledged our SETTINGS, it may use the initial window of RFC 9113 §6.9.2.
func TestSmallWindowHoldsWhenAcknowledged(t *testing.T) {
	tk := &talk{t: t, c: NewServer(&Config{InitialWindow: 100}, 1), now: 1}
	tk.send(Preface + settings() + tk.post(1))
	tk.want("Settings", "Headers 1 POST https example.com /")
	if ev := tk.upload(1, 5000); ev != "ok" {
		t.Fatal(ev)
	}
	tk.send(frame(FrameSettings, FlagAck, 0, "") + tk.post(3))
	tk.want("SettingsAck", "Headers 3 POST https example.com /")
	if ev := tk.upload(3, 101); !strings.HasPrefix(ev, "Reset 3 FLOW_CONTROL_ERROR") {
		t.Fatal(ev)
	}
	if ev := tk.upload(1, 1); !strings.HasPrefix(ev, "Reset 1 FLOW_CONTROL_ERROR") {
		t.Fatal("the window of a stream that was open before:", ev)
	}
}

// DATA beyond the connection's window ends the connection, and the data of a released stream is given back.
func TestReceiveWindowOfConnection(t *testing.T) {
	tk := server(t, Config{})
	tk.now += second
	tk.send(tk.post(1) + tk.post(3))
	tk.want("Headers 1 POST https example.com /", "Headers 3 POST https example.com /")
	if ev := tk.upload(1, 40000); ev != "ok" {
		t.Fatal(ev)
	}
	// The data that a reset stream had received is given back when it is released.
	tk.c.Release(streamOf(tk.c, 1))
	tk.says("RST_STREAM 1 CANCEL", "WINDOW_UPDATE 40000")
	tk.now += second
	// DATA that arrives later still counts (RFC 9113 §5.1), and is given back at once.
	tk.send(data(1, 0, string(make([]byte, 16000))) + data(1, 0, string(make([]byte, 16000))) + data(1, 0, string(make([]byte, 767))))
	tk.silent()
	tk.says("WINDOW_UPDATE 32767")
	if ev := tk.upload(3, 65535); ev != "ok" {
		t.Fatal(ev)
	}
	tk.send(data(3, 0, "x"))
	tk.want("error http2: more DATA than the window lets through (FLOW_CONTROL_ERROR, RFC 9113 §6.9.1)")
}

// Padding is given back to both windows at once.
func TestPaddingIsGivenBack(t *testing.T) {
	tk := server(t, Config{InitialWindow: 1000})
	tk.send(tk.post(1))
	tk.want("Headers 1 POST https example.com /")
	tk.now += second
	for range 2 {
		tk.send(data(1, FlagPadded, "\xfax"+strings.Repeat("\x00", 250)))
		tk.want(`Data 1 "x"`)
	}
	tk.silent()
	tk.says("WINDOW_UPDATE 1 502")
	if tk.c.core.recv.consumed != 502 {
		t.Fatal(tk.c.core.recv.consumed)
	}
}

// A transfer that uses up its window within a round trip gets larger windows, up to the limits. A slow transfer does not.
func TestWindowsGrow(t *testing.T) {
	for _, c := range []struct {
		name  string
		every int64 // nanoseconds between two frames
		want  int32
	}{
		{"fast", msec, 1 << 20}, {"slow", 50 * msec, 65535},
	} {
		t.Run(c.name, func(t *testing.T) {
			tk := &talk{t: t, c: NewServer(&Config{}, 0)}
			tk.send(Preface + settings())
			tk.want("Settings")
			tk.now = 20 * msec
			tk.send(frame(FrameSettings, FlagAck, 0, "") + tk.post(1))
			tk.want("SettingsAck", "Headers 1 POST https example.com /")
			if tk.c.RTT() != 20*msec {
				t.Fatal(tk.c.RTT())
			}
			s := streamOf(tk.c, 1)
			for range 1000 {
				tk.now += c.every
				if s.recv.left < minFrameSize || tk.c.core.recv.left < minFrameSize {
					t.Fatalf("windows %d %d", s.recv.left, tk.c.core.recv.left)
				}
				if ev := tk.upload(1, minFrameSize); ev != "ok" {
					t.Fatal(ev)
				}
				tk.c.Consumed(s, minFrameSize, tk.now)
				tk.c.AppendPending(nil)
			}
			if s.recv.max != c.want || tk.c.core.recv.max > 2<<20 || s.recv.left > s.recv.max || tk.c.core.recv.left > tk.c.core.recv.max {
				t.Fatalf("stream %d of %d, connection %d of %d", s.recv.left, s.recv.max, tk.c.core.recv.left, tk.c.core.recv.max)
			}
		})
	}
}

// A PING that waited before it was sent does not make the round trip longer.
func TestRoundTripBeginsWhenThePingIsSent(t *testing.T) {
	tk := server(t, Config{InitialWindow: 1000})
	tk.send(tk.post(1) + data(1, 0, string(make([]byte, 600))))
	tk.want("Headers 1 POST https example.com /")
	tk.next()
	if tk.c.MeasuresRTT() {
		t.Fatal("something is measured")
	}
	tk.now += 10 * second
	tk.c.core.rtt.rtt = 0
	tk.c.Consumed(streamOf(tk.c, 1), 600, tk.now)
	tk.now += second
	tk.says("WINDOW_UPDATE 1 600", "PING 8000000000000001")
	tk.c.OutputSent(tk.now)
	if !tk.c.MeasuresRTT() {
		t.Fatal("nothing is measured")
	}
	tk.c.OutputSent(tk.now + msec) // of the output after it
	tk.now += 5 * msec
	tk.send(frame(FramePing, FlagAck, 0, "\x80\x00\x00\x00\x00\x00\x00\x01"))
	tk.silent()
	if got := tk.c.RTT(); got != 5*msec || tk.c.MeasuresRTT() {
		t.Fatal(got, tk.c.MeasuresRTT())
	}
}

// The round trip is measured once more after a while, and an acknowledgement without a PING costs budget.
func TestRoundTripIsMeasuredAgain(t *testing.T) {
	tk := server(t, Config{InitialWindow: 1000})
	tk.send(tk.post(1) + data(1, 0, string(make([]byte, 600))))
	tk.want("Headers 1 POST https example.com /")
	tk.next()
	tk.now += 10 * second
	tk.c.Consumed(streamOf(tk.c, 1), 600, tk.now)
	tk.says("WINDOW_UPDATE 1 600", "PING 8000000000000001")
	tk.now += 5 * msec
	tk.send(frame(FramePing, FlagAck, 0, "\x80\x00\x00\x00\x00\x00\x00\x01"))
	tk.silent()
	if got := tk.c.RTT(); got <= 1 || got > 5*msec {
		t.Fatal(got)
	}
	tk.c.core.budget.Left = tk.c.core.budget.Limit
	tk.send(frame(FramePing, FlagAck, 0, "\x80\x00\x00\x00\x00\x00\x00\x01"))
	tk.silent()
	if tk.c.core.budget.Left == tk.c.core.budget.Limit {
		t.Fatal("an acknowledgement without a PING is free")
	}
}
