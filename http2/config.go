package http2

// Config holds the limits of a connection and what it offers its peer. A zero field means its default; a negative time
// means no limit.
type Config struct {
	// MaxStreams is how many streams the peer may have open at once; default 250. Streams that were reset count until
	// they are released. In addition there may be as many streams that are complete but not released. A client accepts no
	// streams, whatever this is: it refuses pushes.
	MaxStreams uint32
	// MaxHeaderList bounds a header section, counted as in RFC 9113 §6.5.2 (names, values, and 32 for each field);
	// default 64 KiB. A larger request is an EventHeadersTooLarge.
	MaxHeaderList uint32
	// MaxFields bounds the field lines of a header section, including pseudo-fields; default 200. Cookie lines count as the
	// one that they become when they are joined (RFC 9113 §8.2.3), but with all of them a section has no more than 1,000
	// lines beyond MaxFields. A larger request is an EventHeadersTooLarge.
	MaxFields uint32
	// MaxFrameSize is the longest frame that the peer may send, from 16,384 (the default) to 16,777,215. Larger frames
	// gain nothing: DATA is handed out in parts as it arrives.
	MaxFrameSize uint32
	// DecoderTable is the size of the HPACK table for what the peer sends; default 4,096. EncoderTable bounds the size of
	// the table for what we send, which the peer may make smaller; default 4,096.
	DecoderTable, EncoderTable uint32
	// InitialWindow is how many bytes the peer may send on a new stream before any are consumed; default 65,535 (64 KiB
	// less one). Windows of streams grow up to MaxWindow (default 1 MiB) if the path needs it.
	InitialWindow, MaxWindow uint32
	// MaxConnWindow bounds the connection's window, and so the bytes that all streams of a connection together can have
	// received and not consumed; default 2 MiB. The window starts at ConnWindow. Its default and its least value is the
	// larger of InitialWindow and 65,535.
	ConnWindow, MaxConnWindow uint32
	// SettingsTimeout is how long the peer may take to acknowledge our SETTINGS (RFC 9113 §6.5.3), in nanoseconds;
	// default 10 s.
	SettingsTimeout int64
	// HeadTimeout is how long the peer may take to send a header block, or a frame other than DATA, from its first bytes
	// to its last, in nanoseconds; default 10 s. After that the connection ends with ENHANCE_YOUR_CALM.
	HeadTimeout int64
	// StallTimeout is how long a stream that has data to send may wait for a window, in nanoseconds, before it is reset;
	// default 60 s. A window that lets less than 4 KiB through in that time counts as closed. See AllowStall.
	StallTimeout int64
	// Budget is how much work without progress the peer may cause before the connection ends with ENHANCE_YOUR_CALM, in
	// units; default 900, a negative value is no limit. [The rules] list the costs and earnings.
	//
	// [The rules]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/http2.md
	Budget int32
	// MaxPending bounds the bytes that wait to be sent because the peer asked for them (acknowledgements, resets) while
	// the owner cannot send; default 16 KiB. If there are more, the connection ends with ENHANCE_YOUR_CALM.
	MaxPending int32
	// ConnectProtocol allows clients to use extended CONNECT (RFC 8441), for WebSocket over a stream. Servers only.
	ConnectProtocol bool

	// Pool, if set, takes over the memory that a connection without streams does not need, see Conn.Trim, and gives it to
	// connections that need it. A *sync.Pool will do; Get may return nil. What is in the Pool is of use only to this
	// package.
	Pool interface {
		Get() any
		Put(any)
	}

	complete bool // returned by Complete
}

// Complete returns the configuration with zero and invalid fields replaced. Connections that are made with the same
// complete Config share it; with any other, each connection makes its own copy.
func (cfg Config) Complete() *Config {
	def := func(v *uint32, zero, least, most uint32) {
		if *v == 0 {
			*v = zero
		}
		*v = min(max(*v, least), most)
	}
	def(&cfg.MaxStreams, 250, 1, maxStreamID)
	def(&cfg.MaxHeaderList, 64<<10, 1024, 16<<20)
	def(&cfg.MaxFields, 200, 8, 1<<16)
	def(&cfg.MaxFrameSize, minFrameSize, minFrameSize, maxFrameSize)
	def(&cfg.DecoderTable, defaultTableSize, 0, 1<<20)
	def(&cfg.EncoderTable, defaultTableSize, 0, 1<<20)
	def(&cfg.InitialWindow, defaultWindow, 1, maxWindow/2)
	def(&cfg.MaxWindow, 1<<20, cfg.InitialWindow, maxWindow/2)
	def(&cfg.ConnWindow, 0, max(cfg.InitialWindow, defaultWindow), maxWindow/2)
	def(&cfg.MaxConnWindow, 2<<20, cfg.ConnWindow, maxWindow/2)
	cfg.SettingsTimeout = orDefault(cfg.SettingsTimeout, 10*second)
	cfg.HeadTimeout = orDefault(cfg.HeadTimeout, 10*second)
	cfg.StallTimeout = orDefault(cfg.StallTimeout, 60*second)
	if cfg.Budget == 0 {
		cfg.Budget = defaultBudget
	}
	cfg.Budget = min(cfg.Budget, 1<<30)
	if cfg.MaxPending <= 0 {
		cfg.MaxPending = 16 << 10
	}
	cfg.complete = true
	return &cfg
}

const second = 1_000_000_000 // nanoseconds

// orDefault returns v, or def if v is zero.
func orDefault(v, def int64) int64 {
	if v == 0 {
		return def
	}
	return v
}
