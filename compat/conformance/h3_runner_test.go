package conformance

import (
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/compat/internal/h3server"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// h3Complaints are what the runner must complain of, and a part of its complaint; "" is none, and "|" parts those of which one is enough.
var h3Complaints = []struct{ script, want string }{
	{"R: GET /a\nS: 200 target=/a host=a length=0", ""},
	{"R: GET /a\nS: 404", "status 200, want 404"},
	{"R: GET /a\nS: 200 target=/b", "target"},
	{"R: GET /a\nS: RESET H3_MESSAGE_ERROR", "responses [200], want"},
	{"R: GET /a\nS: CLOSE H3_FRAME_ERROR", "the connection stays open; on the stream came [200]"},
	{"R: GET /a\nS: wait", "an incomplete message got a response"},
	{"R: GET /a\nS: 100", "status 200, want 100"},
	{"R: GET /a\nF: X=1\nS: RESET H3_MESSAGE_ERROR", ""},
	{"R: GET /a\nF: X=1\nS: 200", "reset H3_MESSAGE_ERROR after responses []"},
	{"R: GET /a\nF: X=1\nS: RESET H3_REQUEST_REJECTED", "reset H3_MESSAGE_ERROR after responses []"},
	{"R: GET /a\nF: X=1\nS: CLOSE H3_MESSAGE_ERROR", "the connection stays open; on the stream came [], H3_MESSAGE_ERROR"},
	{"R: GET /a\nF: X=1\nS: wait", "an incomplete message got a response: [] H3_MESSAGE_ERROR"},
	{"R: GET /a\nF: X=1\nS: 404 | RESET H3_MESSAGE_ERROR | CLOSE H3_ID_ERROR", ""},
	{"B: SETTINGS()\nS: CLOSE H3_FRAME_UNEXPECTED", ""},
	{"B: SETTINGS()\nS: CLOSE H3_FRAME_ERROR/H3_ID_ERROR", "closed with H3_FRAME_UNEXPECTED"},
	{"B: SETTINGS()\nS: 200", "closed with H3_FRAME_UNEXPECTED"},
	{"B: SETTINGS()\nS: RESET H3_FRAME_UNEXPECTED", "closed with H3_FRAME_UNEXPECTED"},
	{"B: SETTINGS()\nS: keep", "H3_FRAME_UNEXPECTED"},
	{"U control: DATA()\nS: CLOSE H3_MISSING_SETTINGS", ""},
	{"U control: DATA()\nS: keep", "H3_MISSING_SETTINGS"},
	{"U control: SETTINGS()\nS: CLOSE H3_MISSING_SETTINGS", "the connection stays open"},
	{"R: POST /\nD: ab\nO:\nS: wait\nD: c\nS: 200 body=abc", ""},
	{"R: POST /\nF: 3* x-probe=1\nD: a\nT: x=y\nS: 200 probe=\"1, 1, 1\" body=a", ""},
	{"R: HEAD /plaintext\nS: 200 head bytes=0", ""},
	{"R: GET /plaintext\nS: 200 head", "200 with 13 bytes"},
	{"R: GET /plaintext\nS: 200 open\nB: RESET H3_REQUEST_CANCELLED\nS: 200 text=\"Hello, World!\"", ""},
	{"R: GET /plaintext\nS: 404 open", "status 200, want 404"},
	{"R: POST /\nD: a\nO:\nS: 200", "nothing more comes"},
}

// The runner of HTTP/3 complains of wrong expectations.
func TestConformanceHTTP3Runner(t *testing.T) {
	tg := startH3Oracle(t)
	for _, tc := range h3Complaints {
		t.Run(tc.script, func(t *testing.T) {
			t.Parallel()
			steps := h3StepsOf(t, &conversation{script: tc.script})
			manners := h3Manners(steps)
			if strings.Contains(tc.want, "nothing more") {
				manners = manners[:1]
			}
			for _, m := range manners {
				mustComplainH3(t, tg, steps, m, tc.want)
			}
		})
	}
}

// mustComplainH3 plays a script and wants a complaint with the given words, or none for "".
func mustComplainH3(t *testing.T, tg *target, steps []h3Step, m h3Manner, want string) {
	t.Helper()
	pace := unhurried
	switch { // what does not come need not be waited for
	case strings.Contains(want, "stays open"):
		pace.end = 200 * time.Millisecond
	case strings.Contains(want, "nothing more"):
		pace.response = 3 * time.Second
	}
	err := playH3(tg, steps, m, pace)
	overtaken := want != "" && (steps[len(steps)-1].hear[0].wait || steps[len(steps)-1].hear[0].keep)
	for tries := 1; err == nil && overtaken && tries < 50; tries++ { // the response to another request came first
		err = playH3(tg, steps, m, pace)
	}
	said := func(complaint string) bool { return strings.Contains(err.Error(), complaint) }
	if (err == nil) != (want == "") || err != nil && !slices.ContainsFunc(strings.Split(want, " | "), said) {
		t.Errorf("%s: the complaint is %v, want %q", m.name, err, want)
	}
}

// Malformed scripts are refused.
func TestConformanceHTTP3Scripts(t *testing.T) {
	for _, script := range []string{
		"", "R: GET /", "S: 200 close", "R: GET /\nS: nothing", "R: GET /\nS: RESET NONSENSE", "R: GET /\nS: CLOSE", "R: GET /\nS: CLOSE 5",
		"X: 1\nS: 200", "F: a=b\nS: 200", "B: 00\nF: a=b\nS: 200", "R: GET /\nF: a\nS: 200", "R: GET /\nD: {fin}\nS: 200", "R: GET /\nnothing\nS: 200",
		"R: GET /\nS: 200 | wait", "R: GET /\nS: keep | CLOSE H3_ID_ERROR", "U nobody: 00\nS: keep", "U control: STOP H3_NO_ERROR\nS: keep",
		"B: 0\nS: keep", "B: zz\nS: keep", "B: v\nS: keep", "B: v4611686018427387904\nS: keep", "B: DATA(\nS: keep", "B: DATA)\nS: keep",
		"B: NOFRAME()\nS: keep", "B: \"a\nS: keep", "B: RESET\nS: keep", "B: RESET NONSENSE\nS: keep", "B: DATA(NOFRAME())\nS: keep",
	} {
		if steps, err := parseH3Script(script); err == nil {
			t.Errorf("%q is taken for %d steps", script, len(steps))
		}
	}
	for words, want := range map[string]string{
		"00 01ff": "\x00\x01\xff", "v5 v64 v16384": "\x05\x40\x40\x80\x00\x40\x00", "DATA(\"abc\" 00)": "\x00\x04abc\x00",
		"0x21(GOAWAY(v4))": "\x21\x03\x07\x01\x04", "\"{a*3}\" \"\\x01\"": "aaa\x01", "": "", "PRIORITY_UPDATE()": "\x80\x0f\x07\x00\x00",
	} {
		if w, err := parseWire(words); err != nil || string(w.bytes) != want {
			t.Errorf("%s is %q, %v; want %q", words, w.bytes, err, want)
		}
	}
	if w, err := parseWire("00 RESET 0x21"); err != nil || !w.reset || w.code != 0x21 || string(w.bytes) != "\x00" {
		t.Errorf("got %+v, %v; want a byte 0, then a reset with code 0x21", w, err)
	}
}

// h3Report is the content of a right response; % stands for the path.
const h3Report = "method: GET\ntarget: %\nhost: a\nprobe: \nlength: 0\n\n"

// h3Right are the fields of one.
var h3Right = []string{":status", "200", "date", "Sun, 06 Nov 1994 08:49:37 GMT"}

// wrongServers do one thing wrong, which the script of a right request would not show if the runner looked away.
var wrongServers = []struct {
	name  string
	begin func(c *h3server.Conn)                       // instead of opening the control stream
	reply func(c *h3server.Conn, report string) string // instead of the right response
	want  string
}{
	{name: "a right one"},
	{name: "no control stream", begin: func(*h3server.Conn) {}, want: "no SETTINGS come"},
	{name: "no SETTINGS", begin: func(c *h3server.Conn) { c.Uni("\x00" + h3server.Framed(h3frame.GoAway, "\x04")) }, want: "as the control stream's first"},
	{name: "SETTINGS twice", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x00\x04\x00") }, want: "as the control stream's first: false"},
	{name: "two control streams", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x00"); c.Uni("\x00\x04\x00") }, want: "two streams of type 0"},
	{name: "two encoders", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x00"); c.Uni("\x02"); c.Uni("\x02") }, want: "two streams of type 2"},
	{name: "a push stream", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x00"); c.Uni("\x01\x00") }, want: "a push stream"},
	{name: "an unknown stream", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x00"); c.Uni("\x21abc").Close() }},
	{name: "a setting of HTTP/2", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x02\x03\x01") }, want: "the setting 0x3 of HTTP/2"},
	{name: "a setting twice", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x04\x06\x01\x06\x01") }, want: "the setting 0x6 comes twice"},
	{name: "half a setting", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x01\x06") }, want: "SETTINGS end inside a setting"},
	{name: "datagrams neither on nor off", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x02\x33\x02") }, want: "the setting 0x33 is 2"},
	{name: "DATA on the control stream", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x00\x00\x00") }, want: "a frame of type 0x0 on the control stream"},
	{name: "the end of the control stream", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x00").Close() }, want: "the stream of type 0 has ended"},
	{name: "the end of the encoder's", begin: func(c *h3server.Conn) { c.Uni("\x00\x04\x00"); c.Uni("\x02").Close() }, want: "the stream of type 2 has ended"},
	{name: "a bidirectional stream", begin: func(c *h3server.Conn) {
		c.Uni("\x00\x04\x00")
		if st, err := c.OpenStreamSync(c.Context()); err == nil {
			_, _ = io.WriteString(st, "\x01")
		}
	}, want: "a bidirectional stream"},
	{name: "no Date", reply: responded(":status", "200"), want: "Date"},
	{name: "no status", reply: responded("date", "x"), want: ":status"},
	{name: "status 101", reply: responded(":status", "101"), want: "status"},
	{name: "two statuses", reply: responded(append(slices.Clone(h3Right), ":status", "200")...), want: ":status where it may not be"},
	{name: "a capital letter", reply: responded(append(slices.Clone(h3Right), "X", "y")...), want: "a field called"},
	{name: "connection", reply: responded(append(slices.Clone(h3Right), "connection", "close")...), want: "connection in a response"},
	{name: "a wrong length", reply: responded(append(slices.Clone(h3Right), "content-length", "1")...), want: "bytes of"},
	{name: "two lengths", reply: responded(append(slices.Clone(h3Right), "content-length", "1", "content-length", "1")...), want: "two lengths"},
	{name: "DATA first", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Framed(0, report) + h3server.Section(h3Right...)
	}, want: "DATA outside"},
	{name: "half a frame", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Section(h3Right...) + h3server.Beginning(0, 1000, report)
	}, want: "inside a frame"},
	{name: "PUSH_PROMISE", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Section(h3Right...) + h3server.Framed(h3frame.PushPromise, "\x00\x00\x00") + h3server.Framed(0, report)
	}, want: "a frame of type 0x5 on a request stream"},
	{name: "a frame of HTTP/2", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Section(h3Right...) + h3server.Framed(0, report) + h3server.Framed(6, "12345678")
	}, want: "a frame of type 0x6"},
	{name: "an unknown frame", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Framed(0x21, "a") + h3server.Section(h3Right...) + h3server.Framed(0x40, "b") + h3server.Framed(0, report) + h3server.Framed(0x21, "")
	}},
	{name: "a trailer section", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Section(h3Right...) + h3server.Framed(0, report) + h3server.Section("a", "b")
	}},
	{name: "DATA after the trailer section", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Section(h3Right...) + h3server.Framed(0, report) + h3server.Section("a", "b") + h3server.Framed(0, "c")
	}, want: "DATA outside"},
	{name: "a pseudo-field in the trailer section", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Section(h3Right...) + h3server.Framed(0, report) + h3server.Section(":status", "200")
	}, want: ":status where it may not be"},
	{name: "a dynamic table", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Framed(h3frame.Headers, "\x02\x00\x80") + h3server.Framed(0, report)
	}, want: "cannot be decoded"},
	{name: "another response", reply: func(_ *h3server.Conn, report string) string {
		return h3server.Section(h3Right...) + h3server.Framed(0, strings.Replace(report, "GET", "PUT", 1))
	}, want: "method"},
	{name: "a close", reply: func(c *h3server.Conn, _ string) string {
		_ = c.CloseWithError(0x102, "")
		return ""
	}, want: "closed with H3_INTERNAL_ERROR"},
	{name: "a close that means nothing", reply: func(c *h3server.Conn, _ string) string {
		_ = c.CloseWithError(0x12345, "")
		return ""
	}, want: "closed with 0x12345"},
}

// responded makes the head and the content of a response.
func responded(fields ...string) func(*h3server.Conn, string) string {
	return func(_ *h3server.Conn, report string) string {
		return h3server.Section(fields...) + h3server.Framed(0, report)
	}
}

// A server that breaks a rule in its responses is caught, whatever the request.
func TestConformanceHTTP3WrongServers(t *testing.T) {
	steps, err := parseH3Script("R: GET /a\nS: 200 method=GET")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrongServers {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			tg := serveWrongly(t, w.begin, w.reply)
			pace := unhurried
			if w.want == "no SETTINGS come" {
				pace.end = 200 * time.Millisecond
			}
			for _, m := range []h3Manner{{}, {between: true}} {
				err := playH3(tg, steps, m, pace)
				for range 100 { // the streams of a response and of a fault may come in either order
					if err != nil || w.want == "" {
						break
					}
					err = playH3(tg, steps, m, pace)
				}
				if (err == nil) != (w.want == "") || err != nil && !strings.Contains(err.Error(), w.want) {
					t.Errorf("the complaint is %v, want %q", err, w.want)
				}
			}
		})
	}
}

// A server that ignores a stream which must stay open is caught when that stream ends.
func TestConformanceHTTP3DeafServer(t *testing.T) {
	steps, err := parseH3Script("U control: SETTINGS()\nS: keep")
	if err != nil {
		t.Fatal(err)
	}
	tg := serveWrongly(t, nil, nil)
	tg.oracle = false
	if err := playH3(tg, steps, h3Manner{}, h3Pace{h3Patience, 200 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "at the end of the control stream") {
		t.Errorf("the complaint is %v", err)
	}
	tg.oracle = true
	if err := playH3(tg, steps, h3Manner{}, unhurried); err != nil {
		t.Error(err)
	}
}

// serveWrongly starts a server that begins with begin, or with SETTINGS, and responds with reply, or well. It never looks at the
// client's unidirectional streams.
func serveWrongly(t *testing.T, begin func(*h3server.Conn), reply func(*h3server.Conn, string) string) *target {
	t.Helper()
	pc, cfg, _ := h3server.ListenUDP(t)
	tr := &quic.Transport{Conn: pc}
	l, err := tr.Listen(cfg, &quic.Config{EnableDatagrams: true})
	if err != nil {
		t.Fatal(err)
	}
	if begin == nil {
		begin = func(c *h3server.Conn) { c.Control = c.Uni("\x00\x04\x00") }
	}
	if reply == nil {
		reply = responded(h3Right...)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			qc, err := l.Accept(t.Context())
			if err != nil {
				return
			}
			all.Go(func() {
				c := &h3server.Conn{Conn: qc}
				begin(c)
				for {
					st, err := c.AcceptStream(c.Context())
					if err != nil {
						return
					}
					all.Go(func() {
						_, _ = io.WriteString(st, reply(c, strings.Replace(h3Report, "%", h3server.Path(st), 1)))
						_ = st.Close()
					})
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		_ = tr.Close()
		all.Wait()
	})
	return &target{name: "a wrong server", addr: pc.LocalAddr().String(), oracle: true}
}
