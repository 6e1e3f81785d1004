package server

import (
	"net"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// ConnState is the state of a connection. The numbers are those of net/http.ConnState.
type ConnState int

// The states of a connection, as passed to Config.OnState.
const (
	StateNew      ConnState = ConnState(netconn.StateNew)      // accepted, no byte received yet
	StateActive   ConnState = ConnState(netconn.StateActive)   // a request has begun to arrive or is being handled
	StateIdle     ConnState = ConnState(netconn.StateIdle)     // between two requests
	StateHijacked ConnState = ConnState(netconn.StateHijacked) // taken over by a handler; a final state
	StateClosed   ConnState = ConnState(netconn.StateClosed)   // a final state
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

// onState returns OnState as a function of netconn's states, nil if it is not set.
func (cfg *Config) onState() func(net.Conn, netconn.State) {
	if cfg.OnState == nil {
		return nil
	}
	tell := cfg.OnState
	return func(nc net.Conn, s netconn.State) { tell(nc, ConnState(s)) }
}
