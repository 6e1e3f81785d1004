package http2

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	xhpack "golang.org/x/net/http2/hpack"
)

// golang.org/x/net/http2 can read what our two ends send to each other, with whole header sections.
func TestFramerReadsUs(t *testing.T) {
	p := newPair(t, 11, Config{})
	var sent [2][]byte
	for range 3000 {
		before := [2]int{p.wires[0].Len(), p.wires[1].Len()}
		p.step(20)
		for i := range p.wires {
			// A step consumes bytes of one direction and appends to the other.
			if n := before[i]; n < p.wires[i].Len() {
				sent[i] = append(sent[i], p.wires[i].Bytes()[n:]...)
			}
		}
	}
	if !bytes.HasPrefix(sent[0], []byte(Preface)) {
		t.Fatal("no preface")
	}
	sent[0] = sent[0][len(Preface):]
	for i, b := range sent {
		fr := xhttp2.NewFramer(io.Discard, bytes.NewReader(b))
		fr.ReadMetaHeaders = xhpack.NewDecoder(4096, nil)
		n := map[xhttp2.FrameType]int{}
		for {
			f, err := fr.ReadFrame()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("end %d: %v", i, err)
			}
			n[f.Header().Type]++
		}
		if n[xhttp2.FrameHeaders] < 10 || n[xhttp2.FrameData] < 10 || n[xhttp2.FrameWindowUpdate] < 1 || n[xhttp2.FrameSettings] != 2 {
			t.Fatalf("end %d: %v", i, n)
		}
	}
}

// Our ends can read what golang.org/x/net/http2 writes.
func TestFramesOfFramer(t *testing.T) {
	var b, block bytes.Buffer
	fr := xhttp2.NewFramer(&b, nil)
	enc := xhpack.NewEncoder(&block)
	b.WriteString(Preface)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(fr.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 1 << 20}, xhttp2.Setting{ID: xhttp2.SettingMaxFrameSize, Val: 1 << 20}))
	must(fr.WriteSettingsAck())
	must(fr.WriteWindowUpdate(0, 1<<20))
	for _, id := range []uint32{1, 3} {
		block.Reset()
		for _, f := range fieldsOf(":method: POST", ":scheme: https", ":authority: a", ":path: /", fmt.Sprint("x-id: ", id)) {
			must(enc.WriteField(xhpack.HeaderField{Name: f.Name, Value: f.Value}))
		}
		first := block.Bytes()[:3]
		must(fr.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: first, PadLength: 5, Priority: xhttp2.PriorityParam{Weight: 3}}))
		must(fr.WriteContinuation(id, true, block.Bytes()[3:]))
	}
	must(fr.WriteDataPadded(1, false, []byte("hello"), make([]byte, 7)))
	must(fr.WritePriority(1, xhttp2.PriorityParam{StreamDep: 3}))
	must(fr.WritePing(false, [8]byte{1}))
	must(fr.WriteRSTStream(1, xhttp2.ErrCodeCancel))
	must(fr.WriteData(3, true, []byte("bye")))
	must(fr.WriteRawFrame(0xbe, 0, 3, []byte("x")))
	must(fr.WriteGoAway(0, xhttp2.ErrCodeNo, []byte("done")))
	tk := &talk{t: t, c: NewServer(&Config{}, 1), now: 1}
	tk.c.AppendPending(nil)
	tk.send(b.String())
	tk.want("Settings", "SettingsAck", "Headers 1 POST https a / x-id=1", "Headers 3 POST https a / x-id=3", `Data 1 "hello"`,
		"Reset 1 CANCEL", `Data 3 "bye" END`, `GoAway 0 NO_ERROR "done"`)
	tk.silent()
	tk.says("SETTINGS ack", "PING 100000000000000 ack")
}
