package http2

// Config is what a connection grants its peer. A zero field is its default; a negative time is no limit.
type Config struct {
	// MaxStreams is how many streams the peer may have open at once, those that were reset but not released included;
	// default 250. As many again may have been answered and not released. A client grants none, whatever stands here: it
	// refuses pushes.
	MaxStreams uint32
	// MaxHeaderList bounds a header section as RFC 9113 §6.5.2 counts it (names, values, and 32 for each field);
	// default 64 KiB. A request beyond it is a HeadersTooLarge event.
	MaxHeaderList uint32
	// MaxFields bounds the field lines of a header section, pseudo-fields included; default 200. Beyond, as above.
	MaxFields uint32
	// MaxFrameSize is the longest frame that the peer may send, 16,384 (the default) to 16,777,215. Nothing is gained
	// by more: frames are handed out in parts as they arrive.
	MaxFrameSize uint32
	// DecoderTable is the size of the HPACK table for what the peer sends, default 4,096; EncoderTable bounds the one
	// for what we send, which is what the peer grants but no more than this; default 4,096.
	DecoderTable, EncoderTable uint32
	// InitialWindow is what the peer may send on a new stream before we consumed any of it, default 65,535 (64 KiB
	// less one). The windows of streams grow from there to MaxWindow (default 1 MiB) as far as the path needs it.
	InitialWindow, MaxWindow uint32
	// MaxConnWindow bounds the connection's window, and so what all streams of a connection together can have received
	// without its being consumed; default 2 MiB. The window begins with ConnWindow, which is at least the default: the
	// larger of InitialWindow and 65,535.
	ConnWindow, MaxConnWindow uint32
	// SettingsTimeout is how long the peer may take to acknowledge our SETTINGS (RFC 9113 §6.5.3), in nanoseconds;
	// default 10 s.
	SettingsTimeout int64
	// HeadTimeout is how long the peer may take for a header block, or for a frame other than DATA, from its first bytes
	// to its end, in nanoseconds; default 10 s. Beyond, the connection ends with ENHANCE_YOUR_CALM.
	HeadTimeout int64
	// StallTimeout is how long a stream that has something to send may wait for a window of the peer, in nanoseconds,
	// before it is reset; a window that lets through less than 4 KiB in that time is none. Default 60 s.
	StallTimeout int64
	// Budget is how much work without progress the peer may cause before the connection ends with ENHANCE_YOUR_CALM;
	// default 900. The rules say what costs how much and what earns it back.
	Budget int32
	// MaxPending bounds what waits in the connection to be sent because the peer asked for it (acknowledgements,
	// resets) while the owner cannot send; default 16 KiB. Beyond, the connection ends with ENHANCE_YOUR_CALM.
	MaxPending int32
	// ConnectProtocol lets clients ask for extended CONNECT (RFC 8441): WebSocket over a stream. Of a server.
	ConnectProtocol bool

	complete bool // Complete has returned it
}

// Complete returns the configuration with what its zero and impossible fields mean. Connections that are made of the same
// complete Config share it; of another one each makes its own.
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
	if cfg.Budget <= 0 {
		cfg.Budget = defaultBudget
	}
	if cfg.MaxPending <= 0 {
		cfg.MaxPending = 16 << 10
	}
	cfg.complete = true
	return &cfg
}

const second = 1_000_000_000 // nanoseconds

// orDefault resolves a field for which a negative value is none.
func orDefault(v, zero int64) int64 {
	if v == 0 {
		return zero
	}
	return v
}
