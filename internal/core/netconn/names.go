package netconn

import (
	"crypto/tls"
	"io"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/filerange"
	"github.com/shockwave-go/shockwave/internal/core/netlisten"
	"github.com/shockwave-go/shockwave/internal/core/output"
	"github.com/shockwave-go/shockwave/internal/core/peergone"
	"github.com/shockwave-go/shockwave/internal/core/pulse"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// Netconn is all that a protocol needs of the core. These are the names of the parts below that appear in its methods.

// Unit is the kind of a unit of output; see Whole, Part and Final.
type Unit = output.Unit

// The kinds of units.
const (
	// Whole is a complete message. It waits while another message is being written in parts.
	Whole = output.Whole
	// Part is a part of the message that BeginParts began, or a unit that is allowed between such parts.
	Part = output.Part
	// Final is allowed between parts, and is the last unit: later ones fail with net.ErrClosed.
	Final = output.Final
)

// Source produces output when there is room for it; see output.Source.
type Source = output.Source

// Lender has output in memory of its own, from which it is sent; see output.Lender.
type Lender = output.Lender

// Gather says when the output of a Source or Lender is drawn; see output.Gather.
type Gather = output.Gather

// Due is a deadline as its holder keeps it; see clock.Due.
type Due = clock.Due

// Timer calls a function once; see clock.Timer.
type Timer = clock.Timer

// GoneCall is a call of OnGone; see peergone.Call.
type GoneCall = peergone.Call

// GoneKeeper keeps the functions that OnGone was called with; see peergone.Keeper.
type GoneKeeper = peergone.Keeper

// Pulse finds out whether a silent peer is alive; see pulse.Pulse.
type Pulse = pulse.Pulse

// PulseState is what Pulse.Beat has found.
type PulseState = pulse.State

// The states of a peer.
const (
	PulseQuiet  = pulse.Quiet  // the peer has been heard recently, or may still answer
	PulseAsk    = pulse.Ask    // the peer is to be asked now
	PulseSilent = pulse.Silent // the peer has not answered in time
)

// Progress says how far output has come; see transport.Progress.
type Progress = transport.Progress

// Labelled is a listener with a label for the caller of Serve; see netlisten.Labelled.
type Labelled = netlisten.Labelled

// Listen is net.Listen("tcp", addr); see netlisten.Listen.
func Listen(addr string) (net.Listener, error) { return netlisten.Listen(addr) }

// IsFile reports whether the bytes of src are those of a regular file, so that ReadFrom can have the kernel send them.
func IsFile(src io.Reader) bool { return filerange.IsFile(src) }

// TLSClient is tls.Client for a connection that will be passed to Pull or Run. Until then the result is an ordinary
// tls.Conn; afterwards it runs like the TLS connections that the engine accepts. nc must not be a TLS connection
// itself: after a deadline has cut a write, the inner tls.Conn could continue but the outer could not.
func TLSClient(nc net.Conn, cfg *tls.Config) *tls.Conn { return transport.Client(nc, cfg) }
