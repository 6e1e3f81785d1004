package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"testing"
)

// A client that closes its half after its last request still gets the whole response, and then the end.
func TestHalfClosed(t *testing.T) {
	onEveryFace(t, func(t *testing.T, s *site) {
		if s.secure {
			t.Skip("TLS has no halves that a server would go on with")
		}
		for nth := range uint64(4) {
			if err := s.askAndClose(nth); err != nil {
				t.Error(err)
			}
		}
	})
}

func (s *site) askAndClose(nth uint64) error {
	nc, err := s.connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	dice := diceFor("half closed", nth)
	var wire bytes.Buffer
	var wants []string
	for i := range nth + 1 {
		wants = append(wants, ask(&wire, dice, i, false))
	}
	if err := copyRaggedly(nc, &wire, 1+dice.IntN(5000)); err != nil {
		return err
	}
	if err := nc.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	in := bufio.NewReader(nc)
	for i, want := range wants {
		if err := hear(in, want); err != nil {
			return fmt.Errorf("response %d of %d: %w", i, len(wants), err)
		}
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return fmt.Errorf("after the last response: %w", err)
	}
	return nil
}
