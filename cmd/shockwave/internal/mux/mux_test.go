//go:build unix

package mux

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// Both sides report what is opened, sent, acknowledged and ended.
func TestMuxMessages(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, scheme string) {
		p := muxPairOn(t, scheme)
		near, far := p.near, p.far
		near.carried(`{"do":"open","channel":"a"}`)
		near.sees(`{"event":"open","session":1,"channel":"a","by":"us"}`)
		far.sees(`{"event":"open","session":1,"channel":"a","by":"peer"}`)
		near.carried(`{"do":"send","channel":"a","text":"hi"}`, `{"do":"send","channel":"a","text":""}`,
			`{"do":"send","channel":"a","base64":"/wA=","session":1}`, `{"do":"send","channel":"a","fill":3}`)
		far.sees(`{"event":"message","session":1,"channel":"a","len":2,"text":"hi"}`, `{"event":"message","len":0,"text":""}`,
			`{"event":"message","len":2,"base64":"/wA="}`, `{"event":"message","len":3,"text":"\u0000\u0001\u0002"}`)
		near.sees(`{"event":"acked","session":1,"channel":"a","count":4}`)
		far.carried(`{"do":"send","channel":"a","text":"yo"}`, `{"do":"end","channel":"a"}`)
		near.sees(`{"event":"message","channel":"a","text":"yo"}`, `{"event":"end","channel":"a"}`)
		far.sees(`{"event":"acked","channel":"a","count":1}`)
		near.carried(`{"do":"send","channel":"a","text":"still"}`, `{"do":"end","channel":"a"}`)
		far.sees(`{"event":"message","channel":"a","text":"still"}`, `{"event":"end","channel":"a"}`)
		// The name is free again, for either side.
		far.carried(`{"do":"open","channel":"a"}`, `{"do":"send","channel":"a","text":"anew"}`)
		near.sees(`{"event":"open","channel":"a","by":"peer"}`, `{"event":"message","channel":"a","text":"anew"}`)
		far.sees(`{"event":"open","channel":"a","by":"us"}`)
		near.closes()
		far.sees(`{"event":"closed","session":1,"by":"peer","undelivered":0}`)
		far.closes()
	})
}

// A name that both sides open is one channel.
func TestMuxOneName(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp")
	for i := range 20 {
		open := fmt.Sprintf(`{"do":"open","channel":"%d","tag":"o%d"}`, i, i)
		ok := fmt.Sprintf(`{"event":"ok","tag":"o%d"}`, i)
		p.near.Say(open)
		if i%2 == 0 {
			p.near.sees(ok)
			p.far.sees(fmt.Sprintf(`{"event":"open","channel":"%d","by":"peer"}`, i))
		}
		p.far.Say(open)
		p.far.sees(ok)
		if i%2 == 1 {
			p.near.sees(ok)
		}
		for _, m := range []*muxer{p.near, p.far} {
			m.Say(open)
			m.sees(fmt.Sprintf(`{"event":"error","tag":"o%d","error":"channel exists: \"%d\""}`, i, i))
			m.carried(fmt.Sprintf(`{"do":"send","channel":"%d","text":"%d"}`, i, i))
		}
		for _, m := range []*muxer{p.near, p.far} {
			m.sees(fmt.Sprintf(`{"event":"message","channel":"%d","text":"%d"}`, i, i))
			m.carried(fmt.Sprintf(`{"do":"end","channel":"%d"}`, i))
		}
		for _, m := range []*muxer{p.near, p.far} {
			m.sees(fmt.Sprintf(`{"event":"end","channel":"%d"}`, i))
			if n := m.count(fmt.Sprintf(`{"event":"open","channel":"%d"}`, i)); n != 1 {
				t.Errorf("channel %d was opened %d times", i, n)
			}
		}
	}
	p.near.closes()
	p.far.closes()
}

// Each error event begins with its documented words.
func TestMuxErrors(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp", "-max-message", "1000")
	for _, tc := range []struct{ say, want string }{
		{`{"do":"send","channel":"x","text":""}`, "no such channel"},
		{`{"do":"end","channel":"x"}`, "no such channel"},
		{`{"do":"reset","channel":"x"}`, "no such channel"},
		{`{"do":"pause","channel":"x"}`, "no such channel"},
		{`{"do":"resume","channel":"x"}`, "no such channel"},
		{`{"do":"open","channel":"x","session":2}`, "no session"},
		{`{"do":"send","channel":"x","session":0,"text":""}`, "no session"},
		{`{"do":"open"}`, "bad command"},
		{`{"do":"open","channel":""}`, "bad command"},
		{`{"do":"open","channel":"` + strings.Repeat("é", 128) + `"}`, "bad command"},
		{`{"do":"open","channel":7}`, "bad command"},
		{`{"do":"open","channel":"x","session":"1"}`, "bad command"},
		{`{"do":"send","channel":"x"}`, "bad command"},
		{`{"do":"reset","channel":"x","code":-1}`, "bad command"},
		{`{"do":"reset","channel":"x","code":4294967296}`, "bad command"},
		{`{"do":"dance"}`, "bad command"},
		{`{}`, "bad command"},
		{`[]`, "bad command"},
		{``, "bad command"},
	} {
		p.near.Say(tc.say)
		e := p.near.sees(`{"event":"error"}`)
		if text, _ := e["error"].(string); !strings.HasPrefix(text, tc.want) {
			t.Errorf("%s: %v, want an error that begins with %q", tc.say, e, tc.want)
		}
	}
	p.near.carried(`{"do":"open","channel":"` + strings.Repeat("x", 255) + `"}`)
	p.near.carried(`{"do":"open","channel":"x"}`, `{"do":"send","channel":"x","fill":1000}`)
	p.near.Say(`{"do":"send","channel":"x","fill":1001,"tag":1}`)
	if e := p.near.sees(`{"event":"error","tag":1}`); !strings.HasPrefix(e["error"].(string), "message too large") {
		t.Error(e)
	}
	p.near.carried(`{"do":"end","channel":"x"}`)
	p.near.Say(`{"do":"end","channel":"x","tag":2}`, `{"do":"send","channel":"x","text":"","tag":3}`)
	for i := 2; i <= 3; i++ {
		if e := p.near.sees(fmt.Sprintf(`{"event":"error","tag":%d}`, i)); !strings.HasPrefix(e["error"].(string), "no such channel") {
			t.Error(e)
		}
	}
	p.near.closes()
	p.far.sees(`{"event":"closed"}`)
	p.far.Say(`{"do":"open","channel":"x"}`)
	p.far.sees(`{"event":"error","error":"no session"}`)
	p.far.closes()
}

// A reset is reported to both sides at once, and the name is free again.
func TestMuxResets(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp", "-max-channels", "3")
	for i, m := range []*muxer{p.near, p.far, p.near} {
		other := map[*muxer]*muxer{p.near: p.far, p.far: p.near}[m]
		m.carried(`{"do":"open","channel":"a"}`, `{"do":"send","channel":"a","text":"whole"}`)
		other.sees(`{"event":"message","channel":"a","text":"whole"}`)
		m.carried(fmt.Sprintf(`{"do":"reset","channel":"a","code":%d}`, 7+i))
		other.sees(fmt.Sprintf(`{"event":"reset","session":1,"channel":"a","code":%d}`, 7+i))
		m.Say(`{"do":"send","channel":"a","text":"","tag":"late"}`)
		if e := m.sees(`{"event":"error","tag":"late"}`); !strings.HasPrefix(e["error"].(string), "no such channel") {
			t.Error(e)
		}
	}
	for i := range 3 {
		p.near.carried(fmt.Sprintf(`{"do":"open","channel":"%d"}`, i))
		p.far.sees(fmt.Sprintf(`{"event":"open","channel":"%d"}`, i))
	}
	p.near.Say(`{"do":"open","channel":"more","tag":1}`)
	p.near.sees(`{"event":"error","tag":1,"error":"too many channels"}`)
	p.near.closes()
}

// The messages of a paused channel wait, and other channels go on.
func TestMuxPause(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp")
	p.near.carried(`{"do":"open","channel":"a"}`, `{"do":"open","channel":"b"}`)
	p.far.sees(`{"event":"open","channel":"a"}`)
	p.far.sees(`{"event":"open","channel":"b"}`)
	p.far.carried(`{"do":"pause","channel":"a"}`)
	for i := range 40 {
		p.near.Say(fmt.Sprintf(`{"do":"send","channel":"a","fill":%d}`, 100_000+i))
	}
	p.near.Say(`{"do":"send","channel":"a","text":"last","tag":"last"}`, `{"do":"end","channel":"a","tag":"ended"}`)
	for i := range 50 {
		p.near.carried(fmt.Sprintf(`{"do":"send","channel":"b","text":"%d"}`, i))
		p.far.sees(fmt.Sprintf(`{"event":"message","channel":"b","text":"%d"}`, i))
	}
	if n := p.far.count(`{"event":"message","channel":"a"}`); n != 0 {
		t.Errorf("%d messages of a channel that is stopped", n)
	}
	if n := p.near.count(`{"event":"ok","tag":"last"}`); n != 0 {
		t.Error("nothing waits")
	}
	p.far.carried(`{"do":"resume","channel":"a"}`)
	for i := range 40 {
		p.far.sees(fmt.Sprintf(`{"event":"message","channel":"a","len":%d}`, 100_000+i))
	}
	p.far.sees(`{"event":"message","channel":"a","text":"last"}`, `{"event":"end","channel":"a"}`)
	p.near.sees(`{"event":"ok","tag":"last"}`, `{"event":"ok","tag":"ended"}`)
	p.near.closes()
	p.far.closes()
}

// All received messages are reported before the end of the session, those of paused channels included.
func TestMuxPausedAtTheEnd(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp")
	p.near.carried(`{"do":"open","channel":"a"}`)
	p.far.sees(`{"event":"open","channel":"a"}`)
	p.far.carried(`{"do":"pause","channel":"a"}`)
	p.near.carried(`{"do":"send","channel":"a","text":"1"}`, `{"do":"send","channel":"a","text":"2"}`)
	p.near.sees(`{"event":"acked","channel":"a","count":2}`)
	p.near.closes()
	p.far.sees(`{"event":"closed"}`)
	var order []string
	for _, e := range p.far.told() {
		switch e["event"] {
		case "message":
			order = append(order, e["text"].(string))
		case "closed":
			order = append(order, "closed")
		}
	}
	if got := strings.Join(order, " "); got != "1 2 closed" {
		t.Error(got)
	}
	p.far.closes()
}

// Messages of any size come back with -echo, and -digest shows their SHA-256.
func TestMuxEchoAndDigest(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, scheme string) {
		p := muxPairOn(t, scheme, "-digest")
		echo := runMux(t, "-listen", scheme+"://127.0.0.1:0", "-echo")
		url := echo.sees(`{"event":"listening"}`)["url"].(string)
		near := runMux(t, "-connect", url, "-insecure", "-digest")
		near.sees(`{"event":"session"}`)
		near.carried(`{"do":"open","channel":"a"}`)
		p.near.carried(`{"do":"open","channel":"a"}`)
		for i, size := range []int{0, 1, 100, 65536, 1_000_000, 16 << 20} {
			send := fmt.Sprintf(`{"do":"send","channel":"a","fill":%d}`, size)
			near.Say(send)
			p.near.Say(send)
			back := near.sees(fmt.Sprintf(`{"event":"message","len":%d}`, size))
			there := p.far.sees(fmt.Sprintf(`{"event":"message","len":%d}`, size))
			if back["sha256"] != there["sha256"] || back["text"] != nil || there["sha256"] == "" {
				t.Errorf("message %d: %v and %v", i, back, there)
			}
		}
		near.closes()
		echo.closes()
		p.near.closes()
		p.far.closes()
	})
}

// Each dialler gets a session, and a command can name one.
func TestMuxSessions(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp")
	first := p.near
	p.dial(t)
	second := p.near
	first.carried(`{"do":"open","channel":"a"}`)
	second.carried(`{"do":"open","channel":"a"}`)
	p.far.sees(`{"event":"open","session":1,"channel":"a"}`, `{"event":"open","session":2,"channel":"a"}`)
	p.far.carried(`{"do":"send","channel":"a","text":"to the newest"}`, `{"do":"send","channel":"a","session":1,"text":"to the first"}`)
	first.sees(`{"event":"message","text":"to the first"}`)
	second.sees(`{"event":"message","text":"to the newest"}`)
	second.closes()
	p.far.sees(`{"event":"closed","session":2,"by":"peer"}`)
	p.far.carried(`{"do":"send","channel":"a","text":"who is left"}`)
	first.sees(`{"event":"message","text":"who is left"}`)
	p.far.Say(`{"do":"send","channel":"a","session":2,"text":"","tag":1}`)
	p.far.sees(`{"event":"error","tag":1,"error":"no session"}`)
	p.far.Say(`{"do":"close"}`)
	p.far.sees(`{"event":"closed","session":1,"by":"us","undelivered":0}`)
	p.far.ends(0)
	first.sees(`{"event":"closed","session":1,"by":"peer","undelivered":0}`)
	first.ends(0)
}

// Without -json, lines are messages.
func TestMuxPlain(t *testing.T) {
	t.Parallel()
	far := clitest.Run(t, "mux", "-listen", "tcp://127.0.0.1:0")
	var url string
	for end := time.Now().Add(clitest.Patience); url == "" && time.Now().Before(end); time.Sleep(time.Millisecond) {
		_, url, _ = strings.Cut(strings.TrimSpace(strings.Split(far.Err.String(), "\n")[0]), "listening on ")
	}
	near := clitest.Run(t, "mux", "-connect", url)
	near.Say("hello", "", "\x00")
	for _, want := range []string{"0< hello", "0< ", `0< "\x00"`} {
		if got, err := far.Out.ReadString('\n'); err != nil || got != want+"\n" {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	far.Say("and back")
	if got, err := near.Out.ReadString('\n'); err != nil || got != "0< and back\n" {
		t.Errorf("%q, %v", got, err)
	}
	near.In.Close()
	near.Ends(0)
	far.In.Close()
	far.Signal(os.Interrupt)
	far.Ends(0)
}

// A dialler ends when stdin has ended and everything has arrived; a listener goes on.
func TestMuxEndOfStdin(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp")
	p.far.In.Close()
	io.WriteString(p.near.In, `{"do":"open","channel":"a"}`+"\n"+`{"do":"send","channel":"a","fill":1000000}`+"\n"+
		`{"do":"send","channel":"a","text":"last"}`)
	p.near.In.Close()
	p.far.sees(`{"event":"message","len":1000000}`, `{"event":"message","text":"last"}`, `{"event":"closed","by":"peer"}`)
	p.near.sees(`{"event":"closed","by":"us","undelivered":0}`)
	p.near.ends(0)
	p.dial(t)
	p.near.closes()
	p.far.Signal(os.Interrupt)
	p.far.ends(0)
}

// Command lines that do not fit are refused.
func TestMuxUsage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-listen", "tcp://127.0.0.1:0", "-connect", "tcp://127.0.0.1:1"}, {"-connect", "http://127.0.0.1:1"},
		{"-connect", "127.0.0.1:1"}, {"-connect", "tcp://127.0.0.1"}, {"-connect", "tcp://127.0.0.1:1/path"}, {"-connect", "tcp://127.0.0.1:65536"},
		{"-listen", "tcp://127.0.0.1:0", "more"}, {"-listen", "tcp://127.0.0.1:0", "-window", "x"},
		{"-listen", "tls://127.0.0.1:0", "-cert", "x"}, {"-listen", "tcp://127.0.0.1:0", "-redial", "5s,1s"},
	} {
		con := cli.Console{Out: &clitest.Buffer{}, Err: &clitest.Buffer{}}
		if code := program(append([]string{"mux"}, args...), con); code != 2 {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
}
