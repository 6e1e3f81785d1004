// Package clientpeer is the HTTP clients that are measured: ours and those beside us. Each is in a process of its own, which
// is told in lines what to ask for and answers with what that has cost it. The server they all ask is package peer's native one.
//
// Each has its own defaults, but for what would end a measurement, or has connections be opened all the time: how many are
// kept, and for how long.
package clientpeer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// The peers' names. Those of package peer are clients here, and in Proxy the servers that pass requests on.
const (
	Client    = "client"    // client.Client
	Transport = "transport" // nethttp.Transport below http.Client
	Std       = peer.Std    // http.Transport below http.Client
	FastHTTP  = peer.FastHTTP
	Resty     = "resty" // on net/http
	Nginx     = peer.Nginx
)

// All are the peers in the order of the reports.
var All = []string{Client, Transport, Std, FastHTTP, Resty, Nginx}

// Ours are those that this module makes.
var Ours = []string{Client, Transport}

// Modules are the modules that peers come from.
var Modules = map[string]string{
	"github.com/valyala/fasthttp":  FastHTTP,
	"github.com/go-resty/resty/v2": Resty,
}

// Known reports whether there is a peer of that name.
func Known(name string) bool { return slices.Contains(All, name) }

// asker is a client. worker returns what asks once, and says what is wrong with the answer: a function for one goroutine.
type asker interface {
	worker(x *exchange) func() error
}

// makers make clients. most is how many connections they are to keep.
var makers = map[string]func(http2 bool, most int) asker{
	Client:    newClient,
	Transport: newTransport,
	Std:       newStd,
	FastHTTP:  newFastHTTP,
	Resty:     newResty,
}

func newAsker(name string, http2 bool, most int) (asker, error) {
	make := makers[name]
	if make == nil {
		return nil, fmt.Errorf("no client is called %q; there are %s", name, strings.Join(All, ", "))
	}
	return make(http2, most), nil
}
