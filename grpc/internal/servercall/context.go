package servercall

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
)

// The keys under which gRPC's packages look up what a context holds. They are not exported, so each package is asked once
// with a context that notes the key. A key that is nil could not be learnt; withValues has the other way.
var (
	metadataKey = keyOf(func(c context.Context) bool { md, _ := metadata.FromIncomingContext(c); return md != nil }, metadata.MD{"a": nil})
	peerKey     = keyOf(func(c context.Context) bool { p, _ := peer.FromContext(c); return p == aPeer }, aPeer)
	streamKey   = keyOf(func(c context.Context) bool { return grpc.ServerTransportStreamFromContext(c) == aStream }, aStream)
	keysKnown   = metadataKey != nil && peerKey != nil && streamKey != nil
)

var (
	aPeer                              = new(peer.Peer)
	aStream grpc.ServerTransportStream = new(Call)
)

// keyOf returns the only key that ask looks up. It is nil if ask looks up none or several, or does not find what is stored
// under it.
func keyOf(ask func(context.Context) (found bool), value any) any {
	p := probe{Context: context.Background()}
	ask(&p)
	if p.keys != 1 || !ask(context.WithValue(context.Background(), p.key, value)) {
		return nil
	}
	return p.key
}

// probe notes the keys that it is asked for.
type probe struct {
	context.Context
	key  any
	keys int
}

func (p *probe) Value(key any) any {
	p.key = key
	p.keys++
	return nil
}

// withValues returns a context that has what contextKey's readers look for, whatever the keys are.
func (c *Call) withValues() context.Context {
	ctx := metadata.NewIncomingContext(c, c.request.metadata())
	ctx = peer.NewContext(ctx, c.request.peerInfo())
	return grpc.NewContextWithServerTransportStream(ctx, c)
}

// Deadline implements context.Context.
func (c *Call) Deadline() (time.Time, bool) { return c.ending.deadline, !c.ending.deadline.IsZero() }

// Value implements context.Context.
func (c *Call) Value(key any) any {
	if keysKnown {
		switch key {
		case metadataKey:
			return c.request.metadata()
		case peerKey:
			return c.request.peerInfo()
		case streamKey:
			return grpc.ServerTransportStream(c)
		}
	}
	if key == (callKey{}) {
		return c
	}
	if c.parent != nil {
		return c.parent.Value(key)
	}
	return nil
}

type callKey struct{}

// FromContext returns the call whose context ctx is or is made from, nil if there is none.
func FromContext(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// Done implements context.Context.
func (c *Call) Done() <-chan struct{} {
	e := &c.ending
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done == nil {
		e.done = make(chan struct{})
		if e.err != nil {
			close(e.done)
		}
	}
	e.watchLocked()
	return e.done
}

// Err implements context.Context.
func (c *Call) Err() error {
	e := &c.ending
	e.mu.Lock()
	e.watchLocked()
	e.mu.Unlock()
	return e.reason()
}

// AfterFunc lets package context follow the end of c without a goroutine.
func (c *Call) AfterFunc(f func()) (stop func() bool) {
	e := &c.ending
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watchLocked()
	if e.err != nil {
		go f()
		return func() bool { return false }
	}
	if e.after == nil {
		e.after = map[*func()]struct{}{}
	}
	key := &f
	e.after[key] = struct{}{}
	return func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		_, waits := e.after[key]
		delete(e.after, key)
		return waits
	}
}
