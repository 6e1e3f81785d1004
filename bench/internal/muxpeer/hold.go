package muxpeer

import (
	"bytes"
	"errors"
)

// Hold opens sessions, does an exchange on a channel of each, closes the channel, and keeps the sessions open until wait
// returns. For Raw, whose sessions have no connection, it keeps the channels open instead.
func Hold(name, addr string, sessions int, wait func() error) error {
	for range sessions {
		s, err := Dial(name, addr)
		if err != nil {
			return err
		}
		defer s.Close()
		c, err := s.Open()
		if err != nil {
			return err
		}
		var buf [16]byte
		if err := errors.Join(c.Send([]byte(OrderEcho)), c.Send([]byte("here"))); err != nil {
			return err
		}
		if got, err := c.Receive(buf[:]); err != nil || !bytes.Equal(got, []byte("here")) {
			return errors.Join(errors.New("a session does not echo"), err)
		}
		if name == Raw {
			defer c.Close()
			continue
		}
		if err := c.Close(); err != nil {
			return err
		}
	}
	return wait()
}
