package server

import (
	"net"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// ConnState is where a connection is in its life; the numbers are those of net/http.ConnState.
type ConnState int

// The states of a connection, as Config.OnState is told them.
const (
	StateNew      ConnState = ConnState(netconn.StateNew)      // accepted, no byte yet
	StateActive   ConnState = ConnState(netconn.StateActive)   // a request has begun or is being handled
	StateIdle     ConnState = ConnState(netconn.StateIdle)     // between two requests
	StateHijacked ConnState = ConnState(netconn.StateHijacked) // a handler took it over; the last state
	StateClosed   ConnState = ConnState(netconn.StateClosed)   // the last state
)

// String returns the state as a word.
func (s ConnState) String() string {
	switch s {
	case StateNew:
		return "new"
	case StateActive:
		return "active"
	case StateIdle:
		return "idle"
	case StateHijacked:
		return "hijacked"
	case StateClosed:
		return "closed"
	}
	return "unknown"
}

// onState is OnState in netconn's words, nil if it is not set.
func (cfg *Config) onState() func(net.Conn, netconn.State) {
	if cfg.OnState == nil {
		return nil
	}
	tell := cfg.OnState
	return func(nc net.Conn, s netconn.State) { tell(nc, ConnState(s)) }
}
