package nethttp

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
)

// FromServer returns a Server with the settings of std. Handlers find std itself under http.ServerContextKey. std
// must not serve.
//
// The fields of std and of the Server may be set until the first Serve; a field set on the Server takes precedence.
// After that, std.Handler is read for every request and std.ErrorLog for every log line. Changes of other fields have
// no effect; if it is a field that net/http would read for later connections, the log says so once.
//
// Functions registered with std.RegisterOnShutdown are called by Shutdown, and std.SetKeepAlivesEnabled works.
// std.Shutdown shuts the Server down, but returns at once, and the log says so. std.Close has no effect until the
// next connection arrives, and then does not close busy connections. So call the Server's own methods.
func FromServer(std *http.Server) *Server {
	s := &Server{fromStd: true}
	from, to := reflect.ValueOf(std).Elem(), reflect.ValueOf(s).Elem()
	for _, f := range shared {
		to.Field(f.ours).Set(from.Field(f.theirs))
	}
	s.seen, s.seenErrorLog = sharedValues(std), std.ErrorLog
	s.Handler = currentHandler{std}
	s.adoptLocked(std)
	return s
}

// currentHandler calls the Handler that std has at the time of the request.
type currentHandler struct{ std *http.Server }

// ServeHTTP calls std.Handler, or http.DefaultServeMux if that is nil.
func (h currentHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	orDefault(h.std.Handler).ServeHTTP(w, r)
}

// sharedField is a field that exists in both Server and http.Server, with its index in each.
type sharedField struct {
	name         string
	ours, theirs int
	watched      bool
}

// watchedFields are the fields that net/http's server reads for every connection, so a program may expect a change to
// have an effect. The other fields are not compared: a program may change them without a lock.
var watchedFields = []string{
	"ReadTimeout", "ReadHeaderTimeout", "WriteTimeout", "IdleTimeout", "MaxHeaderBytes", "ConnState", "ConnContext",
}

// shared are the fields that Server and http.Server have in common, except Handler.
var shared = sharedFields()

func sharedFields() (fields []sharedField) {
	theirs := reflect.TypeFor[http.Server]()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Server]()) {
		g, ok := theirs.FieldByName(f.Name)
		if ok && f.IsExported() && f.Type == g.Type && f.Name != "Handler" {
			fields = append(fields, sharedField{f.Name, f.Index[0], g.Index[0], slices.Contains(watchedFields, f.Name)})
		}
	}
	return fields
}

// sharedValues returns the current values of the shared fields of std.
func sharedValues(std *http.Server) []reflect.Value {
	v := reflect.ValueOf(std).Elem()
	seen := make([]reflect.Value, len(shared))
	for i, f := range shared {
		seen[i] = reflect.ValueOf(v.Field(f.theirs).Interface())
	}
	return seen
}

// sameValue reports whether a and b are equal. Functions are equal if they have the same code, maps if they are the
// same map.
func sameValue(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Func, reflect.Map:
		return a.Pointer() == b.Pointer()
	}
	return a.Equal(b)
}

// copyFromStdLocked copies those fields of std to s that were not set on s itself since FromServer.
func (s *Server) copyFromStdLocked() {
	own, now := reflect.ValueOf(s).Elem(), sharedValues(s.std)
	for i, f := range shared {
		if field := own.Field(f.ours); sameValue(field, s.seen[i]) {
			field.Set(now[i])
		}
	}
	s.seen, s.seenErrorLog = now, s.std.ErrorLog
}

// copyToStdLocked copies the settings of s to std.
func (s *Server) copyToStdLocked(std *http.Server) {
	from, to := reflect.ValueOf(s).Elem(), reflect.ValueOf(std).Elem()
	for _, f := range shared {
		to.Field(f.theirs).Set(from.Field(f.ours))
	}
	std.Handler = s.Handler
}

// warnOfLateChanges logs which watched fields of std were changed after Serve, the first time that it finds any.
func (s *Server) warnOfLateChanges() {
	if !s.fromStd || s.warnedChanges.Load() {
		return
	}
	std := reflect.ValueOf(s.std).Elem()
	var names []string
	for i, f := range shared {
		if f.watched && !sameValue(std.Field(f.theirs), s.seen[i]) {
			names = append(names, f.name)
		}
	}
	if len(names) > 0 && s.warnedChanges.CompareAndSwap(false, true) {
		s.logf("http: %s of the http.Server given to FromServer changed after Serve: that has no effect",
			strings.Join(names, ", "))
	}
}

// adoptLocked makes std the http.Server that handlers find, and follows what is done with its methods.
func (s *Server) adoptLocked(std *http.Server) {
	s.std = std
	s.keepAliveOff, s.stdDown = atomicBoolField(std, "disableKeepAlives"), atomicBoolField(std, "inShutdown")
	std.RegisterOnShutdown(s.followShutdown)
}

// atomicBoolField returns the atomic.Bool field of std called name, a flag that a method of std sets and no method
// reports. If this version of Go has no such field, it returns a new atomic.Bool that std does not know.
func atomicBoolField(std *http.Server, name string) *atomic.Bool {
	f := reflect.ValueOf(std).Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeFor[atomic.Bool]() {
		return new(atomic.Bool)
	}
	return (*atomic.Bool)(f.Addr().UnsafePointer())
}

// followShutdown shuts s down if std was shut down or closed without s. std.Shutdown calls it through
// RegisterOnShutdown. std.Close calls nothing, so followShutdown is also called for every new connection.
func (s *Server) followShutdown() {
	if !s.stdDown.Load() || !s.down.CompareAndSwap(false, true) {
		return
	}
	s.logf("http: Shutdown or Close of the http.Server given to FromServer: " +
		"it does not wait for requests, call that of the nethttp.Server")
	s.stdShutFirst.Store(true)
	go s.nativeServer().Shutdown(context.Background())
}

// callRegistered calls the functions registered with RegisterOnShutdown. std keeps them, and calling them is all that
// std.Shutdown does, because std serves nothing.
func (s *Server) callRegistered() {
	if !s.stdShutFirst.Load() {
		s.std.Shutdown(context.Background())
	}
}
