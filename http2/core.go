package http2

import "github.com/shockwave-go/shockwave/internal/wire/peerbudget"

// core is the state of a connection that receiving and sending share. Its parts know nothing of each other; the methods of
// core do what concerns several of them.
type core struct {
	control
	streams streams
	ended   *endings // in the connection's workspace; not nil while there are streams
	sched   schedule
	debts   debts
	waited  int64 // how long canceled requests have waited, see charge_cancel.go

	send sendWindow
	recv receiveWindow
	rtt  roundTrip

	peer peerSettings
	own  ownSettings
	bye  shutdown

	pings    int32 // unanswered PINGs of the owner
	greeting greeting
	decoder  string // the state of the decoder while there is no workspace; empty if no block has come
	// When a stream may have waited too long for a window, and when a discarded stream may have taken too long; 0 is never.
	stallDue, discardDue int64
}

// greeting is how much of what a peer sends first has arrived (RFC 9113 §3.4).
type greeting struct {
	preface  uint8 // bytes of the preface
	settings bool  // its first SETTINGS frame has begun
}

func newCore(cfg *Config, now int64, client bool) core {
	k := core{
		control: control{cfg: cfg, client: client, now: now, budget: peerbudget.New(cfg.Budget, now)},
		streams: streams{next: 1},
		send:    sendWindow{left: defaultWindow},
		recv:    receiveWindow{left: defaultWindow, max: int32(cfg.ConnWindow), updatedAt: now},
		peer:    defaultPeerSettings,
		own:     ownSettings{sentAt: now},
		bye:     shutdown{peerLast: maxStreamID},
	}
	if client {
		k.greeting.preface = uint8(len(Preface))
		k.out = append(k.out, Preface...)
	}
	k.out = appendSettings(k.out, cfg, client)
	if grant := k.recv.max - defaultWindow; grant > 0 {
		k.recv.left = k.recv.max
		k.out = appendWindowUpdate(k.out, 0, uint32(grant))
	}
	return k
}
