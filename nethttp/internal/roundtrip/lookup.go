package roundtrip

import (
	"context"
	"net"
	"net/http/httptrace"
	"reflect"
)

// resolver looks names up and reports that to the httptrace of the request. Connections to name servers are not
// reported: package net keeps them from the trace, too, when it looks names up itself.
type resolver struct{}

// LookupIPAddr implements dial.Resolver.
func (resolver) LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error) {
	trace := httptrace.ContextClientTrace(ctx)
	if trace == nil {
		return net.DefaultResolver.LookupIPAddr(ctx, host)
	}
	if trace.DNSStart != nil {
		trace.DNSStart(httptrace.DNSStartInfo{Host: host})
	}
	found, err := net.DefaultResolver.LookupIPAddr(untraced{ctx}, host)
	if trace.DNSDone != nil {
		trace.DNSDone(httptrace.DNSDoneInfo{Addrs: found, Err: err})
	}
	return found, err
}

// untraced is a context without the value through which package net finds its trace hooks.
type untraced struct{ context.Context }

// Value implements context.Context.
func (u untraced) Value(key any) any {
	if key != nil && reflect.TypeOf(key).PkgPath() == "internal/nettrace" {
		return nil
	}
	return u.Context.Value(key)
}
