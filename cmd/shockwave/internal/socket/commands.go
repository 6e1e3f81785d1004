package socket

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/streamsock"
)

// command is a command, one line of stdin.
type command struct {
	Do  string          `json:"do"`
	Tag json.RawMessage `json:"tag"`
	jsontalk.Payload
	Peer   json.RawMessage   `json:"peer"`
	Peers  []json.RawMessage `json:"peers"`
	Kind   string            `json:"kind"`
	Code   *int              `json:"code"`
	Reason string            `json:"reason"`
	URL    *string           `json:"url"`
}

// InputEnded implements jsontalk.Handler. A socket that listens keeps running.
func (r *run) InputEnded() {
	if len(r.sock.Addresses()) == 0 {
		r.End()
	}
}

// Room implements jsontalk.Handler.
func (r *run) Room(ctx context.Context) { r.sends.Room(ctx) }

// Line implements jsontalk.Handler. It sends the line to all peers.
func (r *run) Line(line []byte) {
	kind := streamsock.KindBinary
	if r.opt.cfg.Text {
		if kind = streamsock.KindText; !utf8.Valid(line) {
			r.ReportError(nil, jsontalk.Bad("the line is not UTF-8"))
			return
		}
	}
	if err := r.mayBeSent(line); err != nil {
		r.ReportError(nil, err)
		return
	}
	r.sendTo(nil, kind, bytes.Clone(line), r.allPeers(), nil)
}

// mayBeSent checks the size of a message against -max-message, which is the bound in both directions.
func (r *run) mayBeSent(p []byte) error {
	if most := r.opt.cfg.MaxMessage; most >= 0 && len(p) > most {
		return fmt.Errorf("%w: %d bytes, more than -max-message %d", jsontalk.ErrTooLarge, len(p), most)
	}
	return nil
}

// Command implements jsontalk.Handler. Commands that have to wait are queued by r.sends.
func (r *run) Command(line []byte) {
	var c command
	if err := jsontalk.Parse(line, &c); err != nil {
		r.ReportError(c.Tag, err)
		return
	}
	switch c.Do {
	case "send":
		r.send(&c)
	case "broadcast":
		if kind, p, err := r.message(&c); err != nil {
			r.ReportError(c.Tag, err)
		} else {
			r.sendTo(c.Tag, kind, p, r.allPeers(), nil)
		}
	case "disconnect":
		r.disconnect(&c)
	case "peers":
		r.peers(c.Tag, r.allPeers())
	case "bind", "unbind", "connect":
		r.address(&c)
	case "close":
		r.Out.OK(c.Tag)
		r.End()
	default:
		r.ReportUnknown(c.Tag, c.Do)
	}
}

// message returns the kind and payload of the message that c sends.
func (r *run) message(c *command) (streamsock.Kind, []byte, error) {
	p, err := c.Bytes()
	if err == nil {
		err = r.mayBeSent(p)
	}
	switch {
	case err != nil:
		return 0, nil, err
	case c.Kind == "" || c.Kind == "binary":
		return streamsock.KindBinary, p, nil
	case c.Kind != "text":
		return 0, nil, jsontalk.Bad("the kind %q is not known", c.Kind)
	case !r.opt.cfg.Text:
		return 0, nil, jsontalk.Bad("text messages are sent with -text")
	case !utf8.Valid(p):
		return 0, nil, jsontalk.Bad("the text is not UTF-8")
	}
	return streamsock.KindText, p, nil
}

// peerNumber parses the number of a peer. It accepts any integer, also one that is too large for an id (then it may
// return an infinity): that is a missing peer, not a bad command.
func peerNumber(text json.RawMessage) (float64, error) {
	n, err := strconv.ParseFloat(string(text), 64)
	if errors.Is(err, strconv.ErrSyntax) || n != math.Trunc(n) {
		return 0, jsontalk.Bad("%s is not a number of a peer", text)
	}
	return n, nil
}

// find returns the peer with the number text.
func (r *run) find(text json.RawMessage) (*streamsock.Peer, error) {
	n, err := peerNumber(text)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %s", streamsock.ErrNoPeer, text)
	}
	id := streamsock.ID(n)
	p, err := r.sock.Find(id)
	if err != nil {
		err = peerError(err, id)
	}
	return p, err
}

// allPeers returns all peers, sorted by id.
func (r *run) allPeers() []*streamsock.Peer {
	return slices.SortedFunc(slices.Values(r.sock.Peers()), func(a, b *streamsock.Peer) int { return cmp.Compare(a.ID(), b.ID()) })
}

// send carries out a send command.
func (r *run) send(c *command) {
	kind, p, err := r.message(c)
	switch {
	case err != nil:
	case (c.Peer != nil) == (c.Peers != nil):
		err = jsontalk.Bad(`one of "peer" and "peers" is wanted`)
	case c.Peer != nil:
		c.Peers = []json.RawMessage{c.Peer}
	}
	for _, n := range c.Peers {
		if _, bad := peerNumber(n); err == nil {
			err = bad
		}
	}
	if err != nil {
		r.ReportError(c.Tag, err)
		return
	}
	var to []*streamsock.Peer
	for _, n := range c.Peers {
		peer, missing := r.find(n)
		if missing == nil {
			to = append(to, peer)
		} else if err == nil {
			err = missing
		}
	}
	r.sendTo(c.Tag, kind, p, to, err)
}

// sendTo sends p to the given peers. It answers the command when p is in all their queues. err is the error for peers
// of the command that are not in to, or nil.
func (r *run) sendTo(tag json.RawMessage, kind streamsock.Kind, p []byte, to []*streamsock.Peer, err error) {
	a := &pendingAnswer{run: r, tag: tag, left: len(to) + 1}
	for _, peer := range to {
		id := peer.ID()
		if !r.sends.Busy(id) {
			err := peer.TrySend(kind, p)
			if !errors.Is(err, streamsock.ErrQueueFull) || r.opt.cfg.Slow != streamsock.BlockWhenSlow {
				a.done(peerError(err, id))
				continue
			}
		}
		r.sends.Send(id, len(p), func() {
			send := peer.Send
			if kind == streamsock.KindText {
				send = peer.SendText
			}
			a.done(peerError(send(p), id))
		})
	}
	a.done(err)
}

// peerError adds the peer's id to err. It returns nil if err is nil.
func peerError(err error, id streamsock.ID) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, streamsock.ErrClosed) {
		err = streamsock.ErrGone
	}
	return fmt.Errorf("%w: %d", err, id)
}

// pendingAnswer collects the results of one command for several peers and answers it when all are there.
type pendingAnswer struct {
	run *run
	tag json.RawMessage

	mu   sync.Mutex
	left int
	err  error // first error
}

// done adds a result. It is called once for each peer and once more for the command itself.
func (a *pendingAnswer) done(err error) {
	a.mu.Lock()
	if a.err == nil {
		a.err = err
	}
	a.left--
	last, err := a.left == 0, a.err
	a.mu.Unlock()
	if last {
		a.run.Answer(a.tag, err)
	}
}

// disconnect carries out a disconnect command, after the sends that wait for the same peer.
func (r *run) disconnect(c *command) {
	code := 0
	if c.Code != nil {
		code = *c.Code
	}
	switch {
	case c.Peer == nil:
		r.ReportError(c.Tag, jsontalk.Bad(`"peer" is wanted`))
		return
	case code < 0 || code > math.MaxUint16:
		r.ReportError(c.Tag, jsontalk.Bad("%d is not a close code", code))
		return
	}
	p, err := r.find(c.Peer)
	if err != nil {
		r.ReportError(c.Tag, err)
		return
	}
	r.sends.Then(p.ID(), func() {
		err := p.Disconnect(uint16(code), c.Reason)
		switch {
		case errors.Is(err, streamsock.ErrGone):
			err = peerError(err, p.ID())
		case err != nil:
			err = jsontalk.Bad("%v", err)
		}
		r.Answer(c.Tag, err)
	})
}

// address carries out the commands bind, unbind and connect.
func (r *run) address(c *command) {
	if c.URL == nil {
		r.ReportError(c.Tag, jsontalk.Bad(`"url" is wanted`))
		return
	}
	var err error
	switch url := *c.URL; c.Do {
	case "bind":
		if err = r.bind(url); err != nil {
			err = jsontalk.Bad("%v", err)
		}
	case "unbind":
		if err = r.unbind(url); err != nil {
			err = fmt.Errorf("%w: %s", err, url)
		}
	case "connect":
		r.connect(c.Tag, url)
		return
	}
	r.Answer(c.Tag, err)
}

// connect carries out a connect command. If the peer is dialled only once, a failure is reported later, without the
// tag.
func (r *run) connect(tag json.RawMessage, url string) {
	p, err := r.sock.Connect(url)
	if err != nil {
		r.ReportError(tag, jsontalk.Bad("%v", err))
		return
	}
	if len(tag) > 0 {
		r.Out.Event("ok").Raw("tag", tag).Int("peer", int64(p.ID())).End()
	}
	if r.opt.cfg.RedialFirst < 0 {
		go r.watch(p, func(err error) { r.ReportError(nil, fmt.Errorf("%w: %v", peerError(streamsock.ErrGone, p.ID()), err)) })
	}
}
