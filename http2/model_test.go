package http2

import (
	"fmt"
	"strings"
	"testing"
)

// The table of RFC 9113 §5.1: what each frame does in each state of a stream. An entry is the expected result:
//
//	event…        the owner is told
//	ignored       nothing is told or said, and the connection goes on
//	stream CODE   RST_STREAM with the code
//	conn CODE     GOAWAY with the code
//
// Each state is reached on stream 5 of a connection that opened stream 3 before, and did not open stream 7.
var modelFrames = []struct {
	name  string
	bytes func(tk *talk) string
}{
	{"DATA", func(tk *talk) string { return data(5, 0, "x") }},
	{"DATA END", func(tk *talk) string { return data(5, FlagEndStream, "x") }},
	{"HEADERS", func(tk *talk) string { return tk.section(0) }},
	{"HEADERS END", func(tk *talk) string { return tk.section(FlagEndStream) }},
	{"PRIORITY", func(*talk) string { return frame(FramePriority, 0, 5, u32(3)+"\x10") }},
	{"RST_STREAM", func(*talk) string { return reset(5, ErrCodeCancel) }},
	{"WINDOW_UPDATE", func(*talk) string { return windowUpdate(5, 500) }},
	{"WINDOW_UPDATE 0", func(*talk) string { return windowUpdate(5, 0) }},
	{"PUSH_PROMISE", func(tk *talk) string {
		return frame(FramePushPromise, FlagEndHeaders, 5, u32(6)+tk.block(getLines...))
	}},
	{"CONTINUATION", func(tk *talk) string { return frame(FrameContinuation, FlagEndHeaders, 5, tk.block("a: b")) }},
	{"unknown", func(*talk) string { return frame(0x77, 0xff, 5, "whatever") }},
}

// section is the header section that stream 5 expects next in its state.
func (tk *talk) section(flags Flags) string {
	lines := []string{"x-trailer: 1"}
	if s := streamOf(tk.c, 5); s == nil || s.inbound == awaitsHead {
		lines = getLines
		if tk.c.core.client {
			lines = []string{":status: 200"}
		}
	}
	return frame(FrameHeaders, FlagEndHeaders|flags, 5, tk.block(lines...))
}

// serverStates are ways to bring a server's stream 5 into a state.
var serverStates = []struct {
	name string
	into func(tk *talk)
	want [11]string
}{
	{"idle", func(*talk) {}, [11]string{
		"conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "Headers 5 GET https example.com /", "Headers 5 GET https example.com / END",
		"ignored", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}},
	{"skipped", func(tk *talk) {
		tk.send(tk.get(7))
		tk.want("Headers 7 GET https example.com / END")
	}, [11]string{
		"conn STREAM_CLOSED", "conn STREAM_CLOSED", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR",
		"ignored", "ignored", "ignored", "ignored", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}},
	{"open", func(tk *talk) { tk.opened() }, [11]string{
		`Data 5 "x"`, `Data 5 "x" END`, "stream PROTOCOL_ERROR", "Trailers 5 x-trailer=1 END",
		"ignored", "Reset 5 CANCEL", "ignored", "stream PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}},
	{"half-closed (local)", func(tk *talk) { tk.respond(tk.opened()) }, [11]string{
		`Data 5 "x"`, `Data 5 "x" END`, "stream PROTOCOL_ERROR", "Trailers 5 x-trailer=1 END",
		"ignored", "Reset 5 CANCEL", "ignored", "stream PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}},
	{"half-closed (remote)", func(tk *talk) { tk.asked() }, [11]string{
		"stream STREAM_CLOSED", "stream STREAM_CLOSED", "stream STREAM_CLOSED", "stream STREAM_CLOSED",
		"ignored", "Reset 5 CANCEL", "ignored", "stream PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}},
	{"closed by both messages", func(tk *talk) { tk.respond(tk.asked()) }, closedByMessages},
	{"closed by both messages, released", func(tk *talk) { tk.c.Release(tk.respond(tk.asked())) }, closedByMessages},
	{"closed by our RST_STREAM", func(tk *talk) { tk.c.Reset(tk.opened(), ErrCodeCancel) }, closedByUs},
	{"closed by our RST_STREAM, released", func(tk *talk) { tk.c.Release(tk.opened()) }, closedByUs},
	{"closed by our RST_STREAM, half-closed (local) before", func(tk *talk) { tk.c.Reset(tk.respond(tk.opened()), ErrCodeCancel) }, closedByUs},
	{"closed by our RST_STREAM, half-closed (remote) before", func(tk *talk) { tk.c.Reset(tk.asked(), ErrCodeCancel) }, closedByMessages},
	{"closed by the peer's RST_STREAM", func(tk *talk) { tk.peerResets(tk.opened()) }, closedByPeer},
	{"closed by the peer's RST_STREAM, released", func(tk *talk) { tk.c.Release(tk.peerResets(tk.asked())) }, closedByPeer},
	{"refused", func(tk *talk) {
		tk.c.core.cfg.MaxStreams = 1
		tk.send(tk.get(5))
		tk.want("Refused REFUSED_STREAM (more streams than SETTINGS_MAX_CONCURRENT_STREAMS)")
		tk.silent()
		tk.says("RST_STREAM 5 REFUSED_STREAM")
	}, closedByUs},
	{"malformed", func(tk *talk) {
		tk.send(tk.get(5, "connection: close"))
		tk.want("Refused PROTOCOL_ERROR (connection-specific field)")
		tk.silent()
		tk.says("RST_STREAM 5 PROTOCOL_ERROR")
	}, closedByUs},
}

var (
	closedByMessages = [11]string{
		"conn STREAM_CLOSED", "conn STREAM_CLOSED", "conn STREAM_CLOSED", "conn STREAM_CLOSED",
		"ignored", "ignored", "ignored", "ignored", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}
	closedByUs = [11]string{
		"ignored", "ignored", "ignored", "ignored",
		"ignored", "ignored", "ignored", "ignored", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}
	closedByPeer = [11]string{
		"stream STREAM_CLOSED", "stream STREAM_CLOSED", "stream STREAM_CLOSED", "stream STREAM_CLOSED",
		"ignored", "ignored", "ignored", "ignored", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}
)

func (tk *talk) opened() *Stream {
	tk.t.Helper()
	tk.send(tk.post(5))
	tk.want("Headers 5 POST https example.com /")
	return streamOf(tk.c, 5)
}

func (tk *talk) asked() *Stream {
	tk.t.Helper()
	tk.send(tk.get(5))
	tk.want("Headers 5 GET https example.com / END")
	return streamOf(tk.c, 5)
}

func (tk *talk) respond(s *Stream) *Stream {
	tk.c.AppendHeaders(nil, s, fieldsOf(":status: 204"), true)
	return s
}

func (tk *talk) peerResets(s *Stream) *Stream {
	tk.send(reset(s.ID(), ErrCodeNo))
	tk.want(fmt.Sprintf("Reset %d NO_ERROR", s.ID()))
	return s
}

// Each frame has the result of the table in each state of a stream that the peer opened (RFC 9113 §5.1).
func TestServerStates(t *testing.T) {
	for _, state := range serverStates {
		for i, f := range modelFrames {
			t.Run(state.name+"/"+f.name, func(t *testing.T) {
				tk := server(t, Config{})
				tk.send(tk.post(3))
				tk.want("Headers 3 POST https example.com /")
				state.into(tk)
				tk.judge(f.bytes(tk), state.want[i], 5)
			})
		}
	}
}

// clientStates are ways to bring a client's stream 5 into a state.
var clientStates = []struct {
	name string
	into func(tk *talk)
	want [11]string
}{
	{"idle", func(*talk) {}, clientIdle},
	{"idle, opened without HEADERS", func(tk *talk) {
		if _, err := tk.c.Open(nil); err != nil {
			tk.t.Fatal(err)
		}
	}, clientIdle},
	{"open", func(tk *talk) { tk.ask(false) }, [11]string{
		"stream PROTOCOL_ERROR", "stream PROTOCOL_ERROR", "Headers 5 200", "Headers 5 200 END",
		"ignored", "Reset 5 CANCEL", "ignored", "stream PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}},
	{"half-closed (local)", func(tk *talk) { tk.ask(true) }, [11]string{
		"stream PROTOCOL_ERROR", "stream PROTOCOL_ERROR", "Headers 5 200", "Headers 5 200 END",
		"ignored", "Reset 5 CANCEL", "ignored", "stream PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}},
	{"half-closed (local), head received", func(tk *talk) { tk.serverResponds(tk.ask(true), 0) }, [11]string{
		`Data 5 "x"`, `Data 5 "x" END`, "stream PROTOCOL_ERROR", "Trailers 5 x-trailer=1 END",
		"ignored", "Reset 5 CANCEL", "ignored", "stream PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}},
	{"half-closed (remote)", func(tk *talk) { tk.serverResponds(tk.ask(false), FlagEndStream) }, [11]string{
		"stream STREAM_CLOSED", "stream STREAM_CLOSED", "stream STREAM_CLOSED", "stream STREAM_CLOSED",
		"ignored", "Reset 5 CANCEL", "ignored", "stream PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
	}},
	{"closed by both messages", func(tk *talk) { tk.serverResponds(tk.ask(true), FlagEndStream) }, closedByMessages},
	{"closed by our RST_STREAM", func(tk *talk) { tk.c.Release(tk.ask(true)) }, closedByUs},
	{"closed by our RST_STREAM, half-closed (remote) before", func(tk *talk) {
		tk.c.Release(tk.serverResponds(tk.ask(false), FlagEndStream))
	}, closedByMessages},
	{"closed by the peer's RST_STREAM", func(tk *talk) { tk.peerResets(tk.ask(true)) }, closedByPeer},
	{"left out by GOAWAY", func(tk *talk) {
		tk.ask(true)
		tk.send(frame(FrameGoAway, 0, 0, u32(3)+u32(0)))
		tk.want(`GoAway 3 NO_ERROR ""`, "Reset 5 REFUSED_STREAM (the peer went away before it worked on the stream)")
	}, closedByUs},
}

var clientIdle = [11]string{
	"conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR",
	"ignored", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "conn PROTOCOL_ERROR", "ignored",
}

// ask opens a stream with a request.
func (tk *talk) ask(end bool) *Stream {
	tk.t.Helper()
	s, err := tk.c.Open(nil)
	if err != nil {
		tk.t.Fatal(err)
	}
	tk.c.AppendHeaders(nil, s, fieldsOf(getLines...), end)
	return s
}

func (tk *talk) serverResponds(s *Stream, flags Flags) *Stream {
	tk.send(frame(FrameHeaders, FlagEndHeaders|flags, s.ID(), tk.block(":status: 200")))
	tk.next()
	return s
}

// Each frame has the result of the table in each state of a stream that we opened (RFC 9113 §5.1).
func TestClientStates(t *testing.T) {
	for _, state := range clientStates {
		for i, f := range modelFrames {
			t.Run(state.name+"/"+f.name, func(t *testing.T) {
				tk := client(t, Config{})
				tk.ask(true)
				tk.ask(true)
				state.into(tk)
				tk.judge(f.bytes(tk), state.want[i], 5)
			})
		}
	}
}

// judge feeds a frame and checks the result. If the connection goes on, it must still work.
func (tk *talk) judge(in, want string, id uint32) {
	tk.t.Helper()
	tk.c.AppendPending(nil)
	tk.send(in)
	got := tk.next()
	said := strings.Join(tk.frames(tk.c.AppendPending(nil)), "; ")
	code, isConn := strings.CutPrefix(want, "conn ")
	if isConn {
		if !strings.HasPrefix(got, "error ") || !strings.Contains(said, "GOAWAY") || !strings.HasSuffix(said, code) {
			tk.t.Fatalf("event %q, sent %q, want %s", got, said, want)
		}
		return
	}
	if code, isStream := strings.CutPrefix(want, "stream "); isStream {
		told := strings.HasPrefix(got, fmt.Sprintf("Reset %d %s (", id, code)) || strings.HasPrefix(got, "Refused "+code+" (")
		if said != fmt.Sprintf("RST_STREAM %d %s", id, code) || !told {
			tk.t.Fatalf("event %q, sent %q, want %s", got, said, want)
		}
	} else if want == "ignored" && (got != "nothing" || said != "") || want != "ignored" && (got != want || said != "") {
		tk.t.Fatalf("event %q, sent %q, want %s", got, said, want)
	}
	tk.send(frame(FramePing, 0, 0, "12345678"))
	tk.silent()
	tk.says("PING 3132333435363738 ack")
}
