package http2

// debts are what our own frames let the peer send: it responds to them, or had sent something before it saw them. That is
// not the fault of the peer and costs no budget. Each debt is bounded by what we sent. What goes beyond is charged.
type debts struct {
	ended   unreturned // bytes of DATA to give back on streams that have ended
	replies int32      // RST_STREAM frames on streams that have ended: one for each frame that we sent

	lateBytes, lateFrames underway // on streams that we have reset
	lateTaken             int32    // of lateFrames, since a PING was sent
	refused               underway // streams that we have refused
	asked                 bool     // the PING that proves what the peer has seen is unanswered
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

// ask is called when a PING is sent that proves what the peer has seen.
func (d *debts) ask() {
	d.asked = true
	d.lateTaken = 0
	d.lateBytes.ask()
	d.lateFrames.ask()
	d.refused.ask()
}

// proven is called when it is answered.
func (d *debts) proven() {
	d.asked = false
	d.lateBytes.proven()
	d.lateFrames.proven()
	d.refused.proven()
}

// endedReturns is how many bytes streams that have ended may leave to give back, beyond what the connection's window says
// that the peer has not read: many peers give back to that window at once.
const endedReturns = 16 << 20

// keepReturns is called when a stream ends: a peer may still give back what it got on it, at the pace of its reader. conn
// is what it may give back to the connection's window.
func (d *debts) keepReturns(stream *unreturned, conn unreturned) {
	d.ended.add(int32(*stream))
	d.ended = min(d.ended, min(conn, maxWindow-endedReturns)+endedReturns)
	*stream = 0
}
