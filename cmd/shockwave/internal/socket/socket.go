package socket

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/streamsock"
)

// run is a run of the socket command.
type run struct {
	events
	opt    options
	sock   *streamsock.Socket
	tls    *tls.Config
	sends  *jsontalk.Waiting[streamsock.ID]
	opened chan struct{} // closed when all -bind addresses are open and their listening events written
	failed chan error    // an error that ends the run

	mu        sync.Mutex
	boundURLs map[string]string        // bound URL for each URL as given on the command line
	failures  map[streamsock.ID]string // last dial error of each dialled peer
	live      int                      // connections whose connected event is written, and disconnected event is not
	ended     sync.Cond                // signalled when live changes; uses mu
}

// Run runs the socket command until a signal, the end of stdin, a close command or an error ends it.
func Run(args []string, con cli.Console) error {
	opt, err := parse(args, con)
	if err != nil {
		return err
	}
	s, release := cli.ExitOnSignals(con)
	defer release()
	r, err := newRun(opt, con)
	if err != nil {
		return err
	}
	return r.run(s, con.Stdin())
}

func newRun(opt options, con cli.Console) (*run, error) {
	r := &run{
		events: events{Loop: jsontalk.Loop{Errs: con.Err, JSON: opt.json, Done: make(chan struct{})}, digest: opt.digest}, opt: opt,
		sends: jsontalk.NewWaiting[streamsock.ID](), boundURLs: map[string]string{}, failures: map[streamsock.ID]string{},
		opened: make(chan struct{}), failed: make(chan error, 1),
	}
	r.ended.L = &r.mu
	var err error
	if r.tls, err = opt.certs.Listening(); err != nil {
		return nil, err
	}
	cfg := opt.cfg
	if cfg.DialTLSConfig, err = opt.certs.Dialling(); err != nil {
		return nil, err
	}
	cfg.TLSConfig, cfg.OnMessage, cfg.OnRefused, cfg.OnDialError, cfg.Logger = r.tls, r.onMessage, r.onRefused, r.onDialError, cli.NewLogger(con)
	if len(opt.require) > 0 {
		cfg.Accept = r.accept
	}
	r.Out = jsontalk.NewOutput(con.Out)
	r.sock = streamsock.New(cfg)
	return r, nil
}

// errUnauthorized refuses requests that lack a header field of -require.
var errUnauthorized = errors.New("unauthorized")

// accept refuses ws and wss connections whose request lacks a header field of -require. It lets tcp and tls connections
// pass.
func (r *run) accept(a *streamsock.Arrival) error {
	if a.Request == nil {
		return nil
	}
	for name, values := range r.opt.require {
		for _, want := range values {
			if !slices.Contains(a.Request.Header.Values(name), want) {
				return errUnauthorized
			}
		}
	}
	return nil
}

// run opens the addresses and runs the socket until a signal, stdin, a command or an error ends it.
func (r *run) run(s cli.Stop, stdin io.Reader) error {
	if err := r.open(); err != nil {
		close(r.opened)
		_, _ = r.close(false)
		return err
	}
	close(r.opened)
	go r.ReadInput(stdin, r)
	var err error
	select {
	case <-s.Gracefully.Done():
	case <-r.Done:
	case err = <-r.failed:
	case <-r.Out.Failed():
	}
	undelivered, outErr := r.close(true)
	return cmp.Or(err, jsontalk.NotDelivered(undelivered), outErr)
}

// open listens on and dials the addresses of the command line.
func (r *run) open() error {
	for _, p := range r.opt.addresses {
		if p.bind {
			if err := r.bind(p.url); err != nil {
				return err
			}
		}
	}
	for _, p := range r.opt.addresses {
		if p.bind {
			continue
		}
		peer, err := r.sock.Connect(p.url)
		if err != nil {
			return err
		}
		if r.opt.cfg.RedialFirst < 0 {
			go r.watch(peer, r.fail)
		}
	}
	return nil
}

// bind listens on url and writes the listening event.
func (r *run) bind(url string) error {
	bound, err := r.sock.Bind(url)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.boundURLs[url] = bound[0]
	r.mu.Unlock()
	sum := ""
	if strings.HasPrefix(url, "tls:") || strings.HasPrefix(url, "wss:") {
		sum = certs.Sum(r.tls)
	}
	r.ReportListening(bound[0], sum)
	return nil
}

// unbind stops listening on url, which is the URL of the listening event or the URL that bind was given.
func (r *run) unbind(url string) error {
	err := r.sock.Unbind(url)
	if err != nil {
		r.mu.Lock()
		url = r.boundURLs[url]
		r.mu.Unlock()
		err = r.sock.Unbind(url)
	}
	return err
}

// watch waits until the peer is gone and calls tell if it was never connected. It is used where a peer is dialled only
// once.
func (r *run) watch(p *streamsock.Peer, tell func(error)) {
	<-p.Done()
	if err := p.DialError(); err != nil && p.Stats().Connections == 0 {
		tell(err)
	}
}

// fail ends the run with err.
func (r *run) fail(err error) {
	select {
	case r.failed <- err:
	default: // the run is already ending
	}
}

// close sends what is queued, for at most -linger, and closes the socket and the output. It returns the number of
// messages that were not delivered. If tell is true it writes the closed event.
func (r *run) close(tell bool) (undelivered int, err error) {
	r.End()
	by := time.Now().Add(r.opt.linger)
	for _, a := range r.sock.Addresses() {
		_ = r.sock.Unbind(a)
	}
	ctx, cancel := context.WithDeadline(context.Background(), by)
	r.sends.Done(ctx)
	cancel()
	undelivered = r.sends.Sends()
	ctx, cancel = context.WithDeadline(context.Background(), by.Add(cli.CutOffDelay))
	var unsent *streamsock.UnsentError
	if errors.As(r.sock.Shutdown(ctx), &unsent) {
		undelivered += unsent.Messages
	}
	cancel()
	r.mu.Lock()
	for r.live > 0 { // closed must be the last event, so wait for the disconnected events, however slowly stdout is read
		r.ended.Wait()
	}
	r.mu.Unlock()
	if tell {
		r.closed(undelivered)
	}
	return undelivered, r.Out.Close()
}

// onMessage handles everything a peer's connection delivers. It is called on the goroutine of the connection. While
// nobody reads stdout it blocks, and nothing more is read from that peer.
func (r *run) onMessage(m streamsock.Message) {
	<-r.opened
	switch m.Kind {
	case streamsock.EventConnected, streamsock.EventReconnected:
		r.addLive(1)
		r.reached(m.Peer)
		r.connected(m)
	case streamsock.EventDisconnected:
		r.disconnected(m)
		r.addLive(-1)
	default:
		if !r.opt.quiet {
			r.received(m)
		}
		if r.opt.echo {
			_ = m.Reply(m.Data) // if the peer is gone its disconnected event says so
		}
	}
}

// addLive adds n to the number of live connections.
func (r *run) addLive(n int) {
	r.mu.Lock()
	r.live += n
	r.ended.Broadcast()
	r.mu.Unlock()
}

// onDialError reports why a peer that is redialled cannot be reached. It prints the same reason only once in a row.
func (r *run) onDialError(p *streamsock.Peer, err error) {
	if r.opt.cfg.RedialFirst < 0 {
		return // peers are dialled once: watch reports the error
	}
	said := err.Error()
	r.mu.Lock()
	known := r.failures[p.ID()] == said
	r.failures[p.ID()] = said
	r.mu.Unlock()
	if !known {
		r.Logf("shockwave: peer %d: %s; trying again", p.ID(), said)
	}
}

// reached forgets why a peer could not be reached.
func (r *run) reached(p *streamsock.Peer) {
	r.mu.Lock()
	delete(r.failures, p.ID())
	r.mu.Unlock()
}

func (r *run) onRefused(f streamsock.Refusal) {
	<-r.opened
	r.refused(f)
}
