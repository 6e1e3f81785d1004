package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/streamsock"
)

// socketRun is a routing-id socket that is being run.
type socketRun struct {
	commandLoop
	opt    socketOptions
	sock   *streamsock.Socket
	tls    *tls.Config
	sends  *jsontalk.Waiting[streamsock.ID]
	opened chan struct{} // closed when every address is listened on, and that has been told
	failed chan error    // what ends the run

	mu       sync.Mutex
	given    map[string]string        // addresses as they were given, and as they are bound
	failures map[streamsock.ID]string // why peers could not be dialled
	live     int                      // connections that have been told of, and whose end has not
	ended    sync.Cond                // of mu: one has ended
}

// socket runs a routing-id socket until it is told to end.
func socket(args []string, stdin io.Reader, con console) error {
	opt, err := parseSocket(args, con)
	if err != nil {
		return err
	}
	s, release := onSignals()
	defer release()
	ended := make(chan struct{})
	defer close(ended) // before release ends s
	go exitAtOnce(s, ended, con)
	r, err := newSocketRun(opt, con)
	if err != nil {
		return err
	}
	return r.run(s, stdin)
}

// exitAtOnce ends the program at the second signal, unless it has ended by itself.
func exitAtOnce(s stop, ended <-chan struct{}, con console) {
	<-s.now.Done()
	select {
	case <-ended:
	default:
		fmt.Fprintln(con.err, "shockwave: ended by a second signal")
		os.Exit(1)
	}
}

func newSocketRun(opt socketOptions, con console) (*socketRun, error) {
	r := &socketRun{
		commandLoop: commandLoop{con: con, json: opt.json, done: make(chan struct{})}, opt: opt,
		sends: jsontalk.NewWaiting[streamsock.ID](), given: map[string]string{}, failures: map[streamsock.ID]string{},
		opened: make(chan struct{}), failed: make(chan error, 1),
	}
	r.ended.L = &r.mu
	var err error
	if r.tls, err = opt.certs.listening(); err != nil {
		return nil, err
	}
	cfg := opt.cfg
	if cfg.DialTLS, err = opt.certs.dialling(); err != nil {
		return nil, err
	}
	cfg.TLS, cfg.OnMessage, cfg.OnRefused, cfg.OnDialError, cfg.Logger = r.tls, r.got, r.refused, r.notDialled, newLogger(con)
	if len(opt.require) > 0 {
		cfg.Accept = r.accept
	}
	r.out = jsontalk.NewOutput(con.out)
	r.sock = streamsock.New(cfg)
	return r, nil
}

// errUnauthorized is told to who does not say what -require wants.
var errUnauthorized = errors.New("unauthorized")

// accept decides about a connection: those of ws and wss must say what is required.
func (r *socketRun) accept(a *streamsock.Arrival) error {
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

// run runs the socket until s, stdin or a command says that it is to end.
func (r *socketRun) run(s stop, stdin io.Reader) error {
	if err := r.open(); err != nil {
		close(r.opened)
		_, _ = r.close(false)
		return err
	}
	close(r.opened)
	go r.hear(stdin, r)
	var err error
	select {
	case <-s.gracefully.Done():
	case <-r.done:
	case err = <-r.failed:
	case <-r.out.Failed():
	}
	undelivered, outErr := r.close(true)
	switch {
	case err != nil:
		return err
	case undelivered > 0:
		return fmt.Errorf("%d messages were not delivered", undelivered)
	}
	return outErr
}

// open binds and dials every address.
func (r *socketRun) open() error {
	for _, p := range r.opt.places {
		if p.bind {
			if err := r.bind(p.url); err != nil {
				return err
			}
		}
	}
	for _, p := range r.opt.places {
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

// bind listens on an address, and tells that.
func (r *socketRun) bind(url string) error {
	bound, err := r.sock.Bind(url)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.given[url] = bound[0]
	r.mu.Unlock()
	sum := ""
	if strings.HasPrefix(url, "tls:") || strings.HasPrefix(url, "wss:") {
		sum = certSum(r.tls)
	}
	r.listening(bound[0], sum)
	return nil
}

// unbind ends listening on an address, as it was told or as it was given.
func (r *socketRun) unbind(url string) error {
	err := r.sock.Unbind(url)
	if err != nil {
		r.mu.Lock()
		url = r.given[url]
		r.mu.Unlock()
		err = r.sock.Unbind(url)
	}
	return err
}

// watch tells if the one try to dial a peer has failed.
func (r *socketRun) watch(p *streamsock.Peer, tell func(error)) {
	<-p.Done()
	if err := p.DialError(); err != nil && p.Stats().Connections == 0 {
		tell(err)
	}
}

// fail ends the run with an error.
func (r *socketRun) fail(err error) {
	select {
	case r.failed <- err:
	default: // it ends already
	}
}

// late is what closing may take behind -linger until what is left is cut off.
const late = 500 * time.Millisecond

// close lets what is queued leave, and tells the end if anybody is to know.
func (r *socketRun) close(tell bool) (undelivered int, err error) {
	r.end()
	by := time.Now().Add(r.opt.linger)
	for _, a := range r.sock.Addresses() {
		_ = r.sock.Unbind(a)
	}
	ctx, cancel := context.WithDeadline(context.Background(), by)
	r.sends.Done(ctx)
	cancel()
	undelivered = r.sends.Sends()
	ctx, cancel = context.WithDeadline(context.Background(), by.Add(late))
	undelivered += r.sock.Close(ctx)
	cancel()
	r.mu.Lock()
	for r.live > 0 { // who takes no events is waited for here, as nothing is told behind the last
		r.ended.Wait()
	}
	r.mu.Unlock()
	if tell {
		r.closed(undelivered)
	}
	return undelivered, r.out.Close()
}
