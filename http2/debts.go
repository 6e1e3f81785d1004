package http2

// debts are what our own frames let the peer send: it answers them, or had sent something before it saw them. That is
// none of the peer's doing and costs no budget. Each debt is bounded by what we sent. What goes beyond is charged.
type debts struct {
	conn    unreturned // bytes of DATA to give back to the connection's window
	ended   unreturned // likewise on streams that have ended
	replies int32      // RST_STREAM frames on streams that have ended: one for each frame that we sent

	lateBytes, lateFrames underway // on streams that we have reset
	lateTaken             int32    // of lateFrames, since a PING was sent
	refused               underway // streams that we have refused
}

// maxReplies bounds debts.replies, and maxLateFrames debts.lateFrames: frames that take some milliseconds.
const (
	maxReplies    = 1 << 16
	maxLateFrames = 1 << 18
)

// noteFrame records that we sent a frame on a stream. If the peer has ended the stream meanwhile, it may answer with
// RST_STREAM (RFC 9113 §5.1): some do for each DATA frame.
func (d *debts) noteFrame() { d.replies = min(d.replies+1, maxReplies) }

// takeReply reports whether a RST_STREAM on a stream that has ended may answer a frame of ours.
func (d *debts) takeReply() bool {
	if d.replies == 0 {
		return false
	}
	d.replies--
	return true
}

// asked and proven are called when a PING is sent and answered that proves what the peer has seen.
func (d *debts) asked() {
	d.lateTaken = 0
	d.lateBytes.ask()
	d.lateFrames.ask()
	d.refused.ask()
}

func (d *debts) proven() {
	d.lateBytes.proven()
	d.lateFrames.proven()
	d.refused.proven()
}
