// Package facelink is how packages of this module reach what others offer to them and not to users: a transport such as
// HTTP/3 reaches the server that it carries requests for, and package nethttp the behaviour of the native server. The
// packages that offer something register it when they are initialised.
package facelink

import (
	"fmt"
	"reflect"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// carry holds the function of each type of server.
var carry = map[reflect.Type]func(server any, c carrier.Carrier) (carrier.Host, error){}

// OfferCarry registers the function that makes a carrier.Carrier carry requests to a server of type S. It must be called
// while packages are initialised.
func OfferCarry[S any](f func(server S, c carrier.Carrier) (carrier.Host, error)) {
	carry[reflect.TypeFor[S]()] = func(server any, c carrier.Carrier) (carrier.Host, error) { return f(server.(S), c) }
}

// Carry makes c carry requests to server until that is closed: a *server.Server or a *nethttp.Server. Its Shutdown,
// Close and Stats then include c. After Shutdown or Close the error is http.ErrServerClosed.
func Carry(server any, c carrier.Carrier) (carrier.Host, error) {
	f := carry[reflect.TypeOf(server)]
	if f == nil {
		return nil, fmt.Errorf("shockwave: %T is not a server that HTTP/3 can be added to", server)
	}
	return f(server, c)
}

// clients holds the function of each type of transport.
var clients = map[reflect.Type]func(transport any, cfg carrier.ClientConfig) carrier.Client{}

// OfferClient registers the function that makes a transport of type T carry the requests of a client over HTTP/3. It must
// be called while packages are initialised.
func OfferClient[T any](f func(transport T, cfg carrier.ClientConfig) carrier.Client) {
	clients[reflect.TypeFor[T]()] = func(t any, cfg carrier.ClientConfig) carrier.Client { return f(t.(T), cfg) }
}

// Client returns what carries requests over HTTP/3 with the settings of transport, an *http3.Transport.
func Client(transport any, cfg carrier.ClientConfig) (carrier.Client, error) {
	f := clients[reflect.TypeOf(transport)]
	if f == nil {
		return nil, fmt.Errorf("shockwave: HTTP3 is a %T; only an *http3.Transport speaks HTTP/3", transport)
	}
	return f(transport, cfg), nil
}

// LikeNetHTTP makes the server with the settings cfg, a *server.Config, behave as net/http's where that is harmless: in
// how it refuses requests, responds to HTTP/1.0, names statuses and closes connections. Package server sets it.
var LikeNetHTTP func(cfg any)
