package wsframe

import (
	"testing"

	"github.com/shockwave-go/shockwave"
)

// conversation is a Sequence and the test that passes frames to it.
type conversation struct {
	*testing.T
	Sequence
	masked bool
}

// from returns a conversation for one direction: the frames that a server reads from a client.
func from(t *testing.T, extensions RSV) *conversation {
	return &conversation{T: t, Sequence: Incoming(Server, extensions), masked: true}
}

func (c *conversation) tell(what string, want error, h Header) {
	c.Helper()
	before := c.Sequence
	if err := c.Next(h); err != want {
		c.Errorf("%s: %v, want %v", what, err, want)
	} else if want != nil && c.Sequence != before {
		c.Errorf("%s: a refused frame left %+v of %+v", what, c.Sequence, before)
	}
}

// take passes an allowed frame, and compares what is open afterwards.
func (c *conversation) take(what string, h Header, open bool, opcode Opcode, compressed bool) {
	c.Helper()
	h.Masked = c.masked
	c.tell(what, nil, h)
	if c.Open() != open || c.Opcode() != opcode || c.Compressed() != compressed {
		c.Errorf("%s: open %v, %v, compressed %v", what, c.Open(), c.Opcode(), c.Compressed())
	}
}

func (c *conversation) refuse(what string, h Header, want either) {
	c.Helper()
	h.Masked = c.masked
	c.tell(what, want[shockwave.Peer], h)
}

const more, last = false, true

func frame(fin bool, o Opcode) Header {
	if fin {
		return Header{Kind: Final(o)}
	}
	return Header{Kind: Kind(o)}
}

// Control frames may stand between the fragments of a message.
func TestMessagesWithControlFramesBetween(t *testing.T) {
	c := from(t, 0)
	c.take("ping before everything", frame(last, Ping), false, Continuation, false)
	c.take("a whole text", frame(last, Text), false, Text, false)
	c.take("a binary begins", frame(more, Binary), true, Binary, false)
	c.take("a ping between", frame(last, Ping), true, Binary, false)
	c.take("it goes on", frame(more, Continuation), true, Binary, false)
	c.take("a pong between", frame(last, Pong), true, Binary, false)
	c.take("it ends", frame(last, Continuation), false, Binary, false)
	c.take("a whole text again", frame(last, Text), false, Text, false)
}

// A continuation without a message, and a message inside a message, are refused.
func TestMessagesOutOfOrder(t *testing.T) {
	c := from(t, 0)
	c.refuse("nothing to continue", frame(last, Continuation), errContinuesNone)
	c.refuse("nothing to go on with", frame(more, Continuation), errContinuesNone)
	c.take("a text begins", frame(more, Text), true, Text, false)
	c.refuse("another text", frame(last, Text), errInterleaved)
	c.refuse("a binary begins", frame(more, Binary), errInterleaved)
	c.take("it ends", frame(last, Continuation), false, Text, false)
	c.refuse("nothing left to continue", frame(last, Continuation), errContinuesNone)
}

// Nothing may follow a close frame.
func TestNothingAfterClose(t *testing.T) {
	for _, open := range []bool{false, true} {
		c := from(t, 0)
		opcode := Continuation
		if open {
			opcode = Text
			c.take("a text begins", frame(more, Text), true, Text, false)
		}
		c.take("close", frame(last, Close), open, opcode, false)
		if !c.Closed() {
			t.Error("not closed")
		}
		for _, o := range []Opcode{Continuation, Text, Binary, Close, Ping, Pong} {
			c.refuse(o.String()+" after close", frame(last, o), errAfterClose)
		}
	}
}

// Reserved bits are refused unless an extension uses them, and RSV1 only stands on the first frame of a message.
func TestReservedBits(t *testing.T) {
	with := func(r RSV, h Header) Header { h.Kind = h.With(r); return h }
	c := from(t, 0)
	for _, r := range []RSV{RSV1, RSV2, RSV3, RSV1 | RSV3} {
		for _, o := range []Opcode{Continuation, Text, Binary, Close, Ping, Pong} {
			c.refuse(r.String()+" on "+o.String(), with(r, frame(last, o)), errRSV)
		}
	}
	c = from(t, RSV1)
	c.take("compressed text", with(RSV1, frame(last, Text)), false, Text, true)
	c.take("bare text", frame(last, Text), false, Text, false)
	c.take("compressed binary begins", with(RSV1, frame(more, Binary)), true, Binary, true)
	c.refuse("compressed ping", with(RSV1, frame(last, Ping)), errRSVControl)
	c.refuse("compressed close", with(RSV1, frame(last, Close)), errRSVControl)
	c.take("ping between", frame(last, Ping), true, Binary, true)
	c.refuse("the bit again", with(RSV1, frame(more, Continuation)), errRSVContinues)
	c.refuse("RSV2", with(RSV2, frame(last, Continuation)), errRSV)
	c.take("it ends", frame(last, Continuation), false, Binary, true)
	c.take("bare text after it", frame(last, Text), false, Text, false)
}

// A server reads masked frames only, and a client unmasked ones only.
func TestMaskingByRole(t *testing.T) {
	for _, g := range []struct {
		name   string
		seq    Sequence
		masked bool
		want   *Error
	}{
		{"a server reads", Incoming(Server, 0), true, errUnmasked[shockwave.Peer]},
		{"a client writes", Outgoing(Client, 0), true, errUnmasked[shockwave.Local]},
		{"a client reads", Incoming(Client, 0), false, errMasked[shockwave.Peer]},
		{"a server writes", Outgoing(Server, 0), false, errMasked[shockwave.Local]},
		{"the zero Sequence", Sequence{}, true, errUnmasked[shockwave.Peer]},
	} {
		c := conversation{T: t, Sequence: g.seq}
		for _, o := range []Opcode{Text, Ping, Close} {
			c.tell(g.name, g.want, Header{Kind: Final(o), Masked: !g.masked})
		}
		for _, o := range []Opcode{Text, Ping, Close} {
			c.tell(g.name, nil, Header{Kind: Final(o), Masked: g.masked})
		}
	}
}

// An outgoing Sequence refuses what Parse would refuse.
func TestWhatMayNotBeWritten(t *testing.T) {
	c := conversation{T: t, Sequence: Outgoing(Server, 0)}
	c.tell("reserved opcode", errOpcode[shockwave.Local], Header{Kind: Final(3)})
	c.tell("unfinished ping", errControlFin[shockwave.Local], Header{Kind: Kind(Ping)})
	c.tell("long ping", errControlLength[shockwave.Local], Header{Kind: Final(Ping), Length: 126})
	c.tell("negative length", errLengthSign[shockwave.Local], Header{Kind: Final(Text), Length: -1})
	c.tell("text", nil, Header{Kind: Final(Text), Length: 1 << 40})
}

// More than MaxEmptyFragments empty fragments in a row are refused.
func TestFloodsOfEmptyFragments(t *testing.T) {
	payload := func(h Header) Header { h.Length = 1; return h }
	c := from(t, 0)
	flood := func(what string, n int) {
		c.Helper()
		for range n {
			c.take(what, frame(more, Continuation), true, Text, false)
			c.take("a ping between changes nothing", payload(frame(last, Ping)), true, Text, false)
		}
	}
	c.take("an empty text begins", frame(more, Text), true, Text, false)
	flood("it goes on empty", MaxEmptyFragments-1)
	c.refuse("one too many", frame(more, Continuation), errEmptyFragments)
	c.take("a byte", payload(frame(more, Continuation)), true, Text, false)
	flood("empty ones again", MaxEmptyFragments)
	c.refuse("one too many again", frame(more, Continuation), errEmptyFragments)
	c.take("it ends empty", frame(last, Continuation), false, Text, false)
	for range 2 * MaxEmptyFragments {
		c.take("empty messages in one frame", frame(last, Text), false, Text, false)
		c.take("empty messages in two", frame(more, Text), true, Text, false)
		c.take("their ends", frame(last, Continuation), false, Text, false)
	}
}
