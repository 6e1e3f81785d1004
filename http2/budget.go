package http2

// budget is what the peer may still cost us without making progress. Every frame that brings nothing forward is paid
// for; requests that are answered, bytes that are delivered, and time give back. It is never more than its limit, so
// that a peer which behaved for hours can do no more harm at once than a new one.
type budget struct {
	left   int32
	limit  int32
	moved  int32 // bytes delivered that have not earned a unit yet
	earned int64 // until when time has been paid back
}

// What a peer pays, in units. No frame without progress is free, so that a flood ends within 1,000 frames.
const (
	costPing         = 1
	costPriority     = 1
	costWindow       = 1
	costTinyWindow   = 2  // a WINDOW_UPDATE of less than tinyWindow bytes
	costSettings     = 2  // and 1 for every settingsPerUnit settings, and for every 16 streams whose windows one moves
	costUnknown      = 2  // a frame of unknown type
	costEmptyData    = 2  // DATA without a byte and without END_STREAM
	costPadding      = 1  // DATA with more padding than data and without END_STREAM
	costContinuation = 1  // each CONTINUATION
	costEmptyBlock   = 10 // a CONTINUATION without a byte
	costListSize     = 20 // a header section beyond the limit, and each frame that goes on with it
	costLate         = 1  // a frame on a stream that has ended
	costLateBlock    = 2  // a header block on a stream that has ended, or that is ignored
	costReset        = 2  // RST_STREAM of the peer's
	costRefused      = 2  // a stream above the limit
	costOwnReset     = 5  // RST_STREAM of ours that the peer provoked by breaking a rule
	costOwnerReset   = 1  // RST_STREAM of ours that the owner asked for
	costInterim      = 2  // an informational response
	costGoAway       = 5

	tinyWindow      = 256 // bytes
	settingsPerUnit = 16
)

// What gives it back.
const (
	earnMessage   = 4              // a stream on which both messages ended
	earnFrame     = 4              // DATA sent that no window cut short
	earnBytes     = 1024           // so many bytes of DATA, either way, earn 1
	earnTime      = 20 * 1_000_000 // so many nanoseconds earn 1
	defaultBudget = 900            // below the 1,000 frames within which a flood must end
)

// pay takes cost, and reports whether there was enough.
func (b *budget) pay(cost int32, now int64) bool {
	if d := now - b.earned; d >= earnTime {
		b.earn(int32(min(d/earnTime, int64(b.limit))))
		b.earned = now - d%earnTime
	}
	b.left -= cost
	return b.left >= 0
}

func (b *budget) earn(n int32) { b.left = min(b.left+n, b.limit) }

// deliver tells that n bytes of DATA have reached the one they are for.
func (b *budget) deliver(n int) {
	moved := int(b.moved) + n
	b.earn(int32(min(moved/earnBytes, int(b.limit))))
	b.moved = int32(moved % earnBytes)
}

// charge is pay for a connection: a peer that cannot pay ends it.
func (c *Conn) charge(cost int32) {
	if !c.budget.pay(cost, c.now) {
		c.fail(errCalm)
	}
}
