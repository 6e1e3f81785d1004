package tcpmux

import (
	"math"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
)

// settings is a Config with its defaults filled in: a time of 0 means none.
type settings struct {
	Config
	core muxsession.Settings
}

func (cfg Config) settings() *settings {
	s := &settings{Config: cfg}
	size := func(field *int, value int) {
		defaults.Set(field, value)
		if *field < 0 || *field > muxframe.MaxCredit {
			*field = muxframe.MaxCredit
		}
	}
	size(&s.MaxMessage, 16<<20)
	size(&s.MaxChannels, 65536)
	size(&s.Window, 256<<10)
	size(&s.SessionWindow, 64<<20)
	size(&s.ResumeBytes, 16<<20)
	s.Window, s.SessionWindow = max(s.Window, minWindow), max(s.SessionWindow, minWindow)
	s.Window = min(s.Window, s.SessionWindow)
	defaults.SetLimit(&s.ResumeTimeout, 60*time.Second)
	defaults.SetLimit(&s.PingInterval, 15*time.Second)
	defaults.SetLimit(&s.IdleTimeout, 0)
	defaults.SetLimit(&s.HandshakeTimeout, 10*time.Second)
	defaults.SetLimit(&s.Linger, 5*time.Second)
	defaults.SetLimit(&s.RedialFirst, 50*time.Millisecond)
	defaults.SetLimit(&s.RedialLongest, 500*time.Millisecond)
	defaults.SetLimit(&s.MaxSessions, 0)
	if defaults.Set(&s.MaxWaiting, 1024); s.MaxWaiting < 0 {
		s.MaxWaiting = math.MaxInt
	}
	if defaults.Set(&s.WaitingBytes, 256<<20); s.WaitingBytes < 0 {
		s.WaitingBytes = math.MaxInt64
	}
	if s.Logger == nil {
		s.Logger = defaults.Logger()
	}
	s.core = muxsession.Settings{Memory: memory{}, Ours: s.limits(), MaxChannels: s.MaxChannels, Kept: s.ResumeBytes}
	return s
}

// stallTimeout is how long a connection may accept no output, negative for no limit.
func (s *settings) stallTimeout() time.Duration {
	if s.PingInterval == 0 {
		return -1
	}
	return 2 * s.PingInterval
}

// minWindow is the smallest useful window.
const minWindow = 4 << 10

// limits returns the limits that the peer is told. A ResumeTimeout of none is encoded as the largest value.
func (s *settings) limits() muxframe.Limits {
	return muxframe.Limits{
		Window: uint32(s.Window), Session: uint32(s.SessionWindow), MaxMessage: uint32(s.MaxMessage),
		Channels: uint32(s.MaxChannels), ResumeTime: milliseconds(s.ResumeTimeout, math.MaxUint32),
		Keepalive: milliseconds(s.PingInterval, 0), Reserve: uint32(s.reserve()),
	}
}

// reserve returns the bytes that each channel may hold beyond the session's window: a share of half of it, but not so little that
// a message hardly begins, nor more than a channel's window.
func (s *settings) reserve() int {
	const least, most = 1 << 10, 64 << 10
	return min(max(s.SessionWindow/2/s.MaxChannels, least), most, s.Window)
}

func milliseconds(d time.Duration, none uint32) uint32 {
	if d == 0 {
		return none
	}
	return uint32(min(max(d.Milliseconds(), 1), math.MaxUint32-1))
}

// resumeTimeout returns the shorter of both sides' times, 0 for none.
func (s *settings) resumeTimeout(theirs muxframe.Limits) time.Duration {
	d := time.Duration(min(theirs.ResumeTime, milliseconds(s.ResumeTimeout, math.MaxUint32))) * time.Millisecond
	if d == math.MaxUint32*time.Millisecond {
		return 0
	}
	return d
}

// features returns the features that this side supports.
func (s *settings) features() muxframe.Features {
	if s.AtMostOnce {
		return 0
	}
	return muxframe.CanResume
}
