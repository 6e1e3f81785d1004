package wsframe

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

var _ shockwave.ProtocolError = (*Error)(nil)

// docs/wire/websocket.md lists exactly the rules of error.go.
func TestThePageListsTheRules(t *testing.T) {
	source, err := os.ReadFile("error.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/wire/websocket.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]CloseCode{"CloseProtocolError": CloseProtocolError, "CloseInvalidPayload": CloseInvalidPayload, "ClosePolicyViolation": ClosePolicyViolation}
	want := map[string]bool{}
	for _, m := range regexp.MustCompile(`refuse(?:Either)?\((\w+), "(.+?)", "(.+?)"\)`).FindAllStringSubmatch(string(source), -1) {
		want["| "+strconv.Itoa(int(codes[m[1]]))+" | "+m[3]+" | "+m[2]+" |"] = true
	}
	if len(want) < 15 {
		t.Fatalf("only %d rules were found", len(want))
	}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if isRule := regexp.MustCompile(`^\| \d+ \| .* \| RFC \d+ §[\d.]+ \|$`).MatchString(line); isRule && !want[line] {
			t.Errorf("no such rule: %s", line)
		}
		delete(want, line)
	}
	for line := range want {
		t.Errorf("not on the page: %s", line)
	}
}

// Each error has the end that broke the rule, the rule and the close code.
func TestErrorsTellWhoAndWhy(t *testing.T) {
	e := errMasked[shockwave.Local]
	if e.Blame() != shockwave.Local || errMasked[shockwave.Peer].Blame() != shockwave.Peer || e.Reference() != "RFC 6455 §5.1" {
		t.Errorf("%+v", e)
	}
	if got := e.Error(); got != "websocket: masked frame from a server (RFC 6455 §5.1)" {
		t.Error(got)
	}
}

// Opcodes, roles, close codes and reserved bits have their names.
func TestNames(t *testing.T) {
	for _, g := range [][2]string{
		{Continuation.String(), "continuation"}, {Pong.String(), "pong"}, {Opcode(3).String(), "opcode 3"},
		{RSV(0).String(), "none"}, {(RSV1 | RSV3).String(), "RSV1 RSV3"},
		{CloseGoingAway.String(), "1001 going away"}, {CloseTLSHandshake.String(), "1015 TLS handshake"},
		{CloseCode(1004).String(), "1004"}, {CloseCode(1016).String(), "1016"}, {CloseCode(0).String(), "0"}, {CloseCode(4000).String(), "4000"},
		{Server.String(), "server"}, {Client.String(), "client"},
	} {
		if g[0] != g[1] {
			t.Errorf("%q, want %q", g[0], g[1])
		}
	}
}

// Parsing, appending and checking headers allocate nothing.
func TestNothingIsAllocated(t *testing.T) {
	frame := []byte("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58")
	out := make([]byte, 0, 256)
	reason := strings.Repeat("語", 100)
	seq := Incoming(Server, RSV1)
	if n := testing.AllocsPerRun(100, func() {
		h, _, _ := Parse(frame)
		_, _, bad := Parse([]byte{0x83})
		order := seq.Next(h)
		refused := seq.Next(Header{})
		b := Append(out, h)
		b, cut := AppendClose(b, CloseNormal, reason)
		_, _, half := ParseClose(b[:1])
		if bad == nil || order != nil || refused == nil || cut != nil || half == nil {
			t.Error("not the paths that were meant")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
