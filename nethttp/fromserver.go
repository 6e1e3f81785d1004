package nethttp

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
)

// FromServer returns a Server with std's settings. Handlers find std itself under http.ServerContextKey. std must not
// serve.
//
// Its fields may be set until the first Serve, std's or the Server's own, which go before them. Later on std.Handler is
// looked at for every request, and std.ErrorLog for every line; a change of another field has no effect, and if it is
// one that net/http would look at as well, the log says so once.
//
// What is registered with std.RegisterOnShutdown is called by Shutdown, and std.SetKeepAlivesEnabled works.
// std.Shutdown has the Server shut down, but returns at once: a line in the log says so. std.Close is noticed when the
// next connection comes, and ends none that is busy. So call the Server's own methods.
func FromServer(std *http.Server) *Server {
	s := &Server{given: true}
	from, to := reflect.ValueOf(std).Elem(), reflect.ValueOf(s).Elem()
	for _, f := range shared {
		to.Field(f.ours).Set(from.Field(f.theirs))
	}
	s.seen, s.takenLog = look(std), std.ErrorLog
	s.Handler = currentHandler{std}
	s.adopt(std)
	return s
}

// currentHandler is the Handler that std has when a request comes.
type currentHandler struct{ std *http.Server }

// ServeHTTP calls std's Handler, http.DefaultServeMux if nil.
func (h currentHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	orDefault(h.std.Handler).ServeHTTP(w, r)
}

// orDefault returns h, http.DefaultServeMux if nil.
func orDefault(h http.Handler) http.Handler {
	if h == nil {
		return http.DefaultServeMux
	}
	return h
}

// sharedField is a field that Server and http.Server have both, as its index in each.
type sharedField struct {
	name         string
	ours, theirs int
	watched      bool
}

// watchedFields are those that net/http's server reads for every connection: a program may expect that to change them
// has an effect. The others it may change without a lock.
var watchedFields = []string{
	"ReadTimeout", "ReadHeaderTimeout", "WriteTimeout", "IdleTimeout", "MaxHeaderBytes", "ConnState", "ConnContext",
}

// shared are those fields, Handler aside.
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

// look returns the shared fields of std as they are now.
func look(std *http.Server) []reflect.Value {
	v := reflect.ValueOf(std).Elem()
	seen := make([]reflect.Value, len(shared))
	for i, f := range shared {
		seen[i] = reflect.ValueOf(v.Field(f.theirs).Interface())
	}
	return seen
}

// unchanged reports whether a is b still. Functions and maps are the same if they are the same code, or the same map.
func unchanged(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Func, reflect.Map:
		return a.Pointer() == b.Pointer()
	}
	return a.Equal(b)
}

// follow takes what std was given since FromServer, where s was given nothing itself. s.mu is held.
func (s *Server) follow() {
	own, now := reflect.ValueOf(s).Elem(), look(s.std)
	for i, f := range shared {
		if field := own.Field(f.ours); unchanged(field, s.seen[i]) {
			field.Set(now[i])
		}
	}
	s.seen, s.takenLog = now, s.std.ErrorLog
}

// describe gives std s's settings. s.mu is held.
func (s *Server) describe(std *http.Server) {
	from, to := reflect.ValueOf(s).Elem(), reflect.ValueOf(std).Elem()
	for _, f := range shared {
		to.Field(f.theirs).Set(from.Field(f.ours))
	}
	std.Handler = s.Handler
}

// noticeChanges logs which of std's watched fields were changed too late, the first time that there are any.
func (s *Server) noticeChanges() {
	if !s.given || s.toldChanges.Load() {
		return
	}
	std := reflect.ValueOf(s.std).Elem()
	var names []string
	for i, f := range shared {
		if f.watched && !unchanged(std.Field(f.theirs), s.seen[i]) {
			names = append(names, f.name)
		}
	}
	if len(names) > 0 && s.toldChanges.CompareAndSwap(false, true) {
		s.logf("http: %s of the http.Server given to FromServer changed after Serve: that has no effect",
			strings.Join(names, ", "))
	}
}

// adopt makes std the http.Server that handlers find, and listens to what is done with it. s.mu is held, or s is new.
func (s *Server) adopt(std *http.Server) {
	s.std = std
	s.keepAliveOff, s.stdDown = switchOf(std, "disableKeepAlives"), switchOf(std, "inShutdown")
	std.RegisterOnShutdown(s.noticeDown)
}

// switchOf returns the field of std called name, which a method of std sets and nothing tells; if this version of Go has
// no such field, one that std does not know.
func switchOf(std *http.Server, name string) *atomic.Bool {
	f := reflect.ValueOf(std).Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeFor[atomic.Bool]() {
		return new(atomic.Bool)
	}
	return (*atomic.Bool)(f.Addr().UnsafePointer())
}

// noticeDown shuts s down when std was shut down or closed without it. It is what std's Shutdown calls; Close calls
// nothing, so new connections look.
func (s *Server) noticeDown() {
	if !s.stdDown.Load() || !s.down.CompareAndSwap(false, true) {
		return
	}
	s.logf("http: Shutdown or Close of an http.Server that nethttp serves for: " +
		"it does not wait for requests, call the nethttp.Server's")
	s.stdFirst.Store(true)
	go s.start().Shutdown(context.Background())
}

// callRegistered calls the functions of RegisterOnShutdown, which std keeps: it serves nothing, so its Shutdown does
// nothing else.
func (s *Server) callRegistered() {
	if !s.stdFirst.Load() {
		s.std.Shutdown(context.Background())
	}
}
