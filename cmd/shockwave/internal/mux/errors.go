package mux

import (
	"errors"
	"fmt"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// Errors of commands, besides those of jsontalk. The text of an error event begins with one of these.
var (
	errNoChannel = errors.New("no such channel")
	errExists    = errors.New("channel exists")
	errTooMany   = errors.New("too many channels")
	errNoSession = errors.New("no session")
)

// wrap returns channelError for this channel.
func (mc *channel) wrap(err error) error { return channelError(mc.s, mc.c.Name(), err) }

// channelError translates an error of a channel to an error of this command.
func channelError(s *tcpmux.Session, name string, err error) error {
	var reset *tcpmux.ResetError
	var over *tcpmux.EndError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, tcpmux.ErrTooLarge):
		return fmt.Errorf("%w: on channel %q", jsontalk.ErrTooLarge, name)
	case errors.Is(err, tcpmux.ErrChannelExists):
		return fmt.Errorf("%w: %q", errExists, name)
	case errors.Is(err, tcpmux.ErrTooManyChannels):
		return errTooMany
	case errors.As(err, &over), s.Err() != nil:
		return fmt.Errorf("%w: %v", errNoSession, err)
	case errors.As(err, &reset), errors.Is(err, tcpmux.ErrClosed), errors.Is(err, tcpmux.ErrPeerClosed):
		return fmt.Errorf("%w: %q: %v", errNoChannel, name, err)
	}
	return err
}
