package http2

import "github.com/shockwave-go/shockwave/internal/wire/peerbudget"

// The peer pays for every frame that makes no progress, unless our own frames made it send that: see debts.go.

// The costs, in units. Every frame without progress costs something, so a flood ends within 1,000 frames.
const (
	costPing         = 1
	costPriority     = 1
	costWindow       = 1  // a WINDOW_UPDATE that gives back nothing
	costTinyWindow   = 2  // one of less than leastReturn bytes
	costSettings     = 2  // plus 1 for every settingsPerUnit settings, and for every 16 streams whose windows a setting moves
	costUnknown      = 2  // a frame of unknown type
	costEmptyData    = 2  // DATA without any data and without END_STREAM
	costPadding      = 1  // DATA with more padding than data and without END_STREAM
	costContinuation = 1  // each CONTINUATION
	costEmptyBlock   = 10 // a CONTINUATION without a payload, in addition
	costListSize     = 20 // a header section beyond the limit, and each CONTINUATION that follows
	costLate         = 1  // a frame on a stream that has ended, and that the peer knows to have ended
	costLateBlock    = 2  // a header block on such a stream, in addition
	costReset        = 2  // an RST_STREAM that a client sends right behind its request; 1 more while owners are busy with such
	costStalled      = 2  // a stream that waited too long for a window
	costRefused      = 2  // a stream above the limit, which the peer knows; or beyond our GOAWAY
	costOwnReset     = 5  // an RST_STREAM that we send because the peer broke a rule
	costInterim      = 2  // an informational response
	costGoAway       = 5

	settingsPerUnit  = 16
	expansionPerUnit = 1024 // bytes of a header section beyond what its block and the table explain: 1 for each
)

// The earnings, in units, beside those of time and of bytes that were sent or consumed.
const (
	earnMessage   = 4 // a stream on which both messages ended
	earnFrame     = 4 // a DATA frame that we sent and that no window made shorter
	defaultBudget = peerbudget.Default
)
