package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/server/internal/muxtree"
)

// Mux calls the handler with the best matching pattern. A pattern is "METHOD /path" or "/path", with the syntax of
// http.ServeMux but without a host:
//
//	GET /items           this path; GET stands for HEAD as well
//	/items/{id}          one segment: Request.PathValue("id")
//	/files/{name...}     the rest of the path, which may be empty
//	/static/             everything below, as /static/{name...} without a name
//	/{$}                 "/" and nothing else
//
// Segments are decoded and compared one after the other from the left. If several patterns match, the first segment in
// which they differ decides: a literal text precedes {id}, and {id} precedes {name...}. Of two patterns with the same
// path, the one with a method precedes the one without. Handle panics if two patterns differ only in the names in
// braces.
//
// A path that matches only patterns with other methods gets 405 with Allow, a path that matches none 404. A path
// that is not clean ("//", "/./", "/../"), or that would match with a slash at its end, is redirected. A path value
// never has "." or ".." between slashes: a path with such a segment hidden by escapes matches no pattern.
//
// Handle must not be called while the Mux serves. ServeHTTP is safe for concurrent use. The zero Mux is ready to use.
type Mux struct {
	root muxtree.Node[Handler]

	// NotFound serves requests that match no pattern. Default: 404 and a short text.
	NotFound Handler
}

// HandleFunc is Handle for a function.
func (m *Mux) HandleFunc(pattern string, f func(w *ResponseWriter, r *Request)) {
	m.Handle(pattern, HandlerFunc(f))
}

// Handle registers h for the requests that match pattern. It panics if the pattern is malformed or already registered.
func (m *Mux) Handle(pattern string, h Handler) {
	method, target, found := strings.Cut(pattern, " ")
	if !found {
		method, target = "", pattern
	}
	err := errNilHandler
	if h != nil {
		err = m.root.Add(method, strings.TrimLeft(target, " \t"), h)
	}
	if err != nil {
		panic(fmt.Sprintf("server: pattern %q: %v", pattern, err))
	}
}

// ServeHTTP calls the handler whose pattern matches r.
func (m *Mux) ServeHTTP(w *ResponseWriter, r *Request) {
	p := r.Path()
	switch {
	case len(p) == 0 || p[0] != '/': // "*", or the empty path of a CONNECT
		m.notFound(w, r)
	case !muxtree.IsClean(p):
		m.redirect(w, r, muxtree.Clean(p))
	default:
		r.x.route.Reset()
		search := r.search()
		if found := search.Find(&m.root, p); found != nil {
			r.x.route.Names = found.Names
			found.Handler.ServeHTTP(w, r)
			return
		}
		m.refuse(w, r)
	}
}

// refuse responds to a request without a route: with a redirect if a slash is missing, otherwise with 405 or 404.
func (m *Mux) refuse(w *ResponseWriter, r *Request) {
	p := r.Path()
	with := r.search()
	slashed := append(slices.Clone(p), '/')
	found := with.Find(&m.root, slashed)
	all := r.search()
	all.Collecting = true
	if all.Find(&m.root, p); found == nil && len(all.Allow) == 0 {
		all.Find(&m.root, slashed)
	}
	r.x.route.Reset()
	switch {
	case len(all.Allow) > 0:
		slices.Sort(all.Allow)
		w.Header().Set("Allow", strings.Join(slices.Compact(all.Allow), ", "))
		w.Error(http.StatusMethodNotAllowed, http.StatusText(http.StatusMethodNotAllowed))
	case found != nil:
		m.redirect(w, r, string(slashed))
	default:
		m.notFound(w, r)
	}
}

// redirect sends the client to another path, with the same query. Browsers treat a backslash as a slash, and a target that
// begins with two slashes as another host. So backslashes are escaped.
func (m *Mux) redirect(w *ResponseWriter, r *Request, to string) {
	to = strings.ReplaceAll(to, `\`, "%5C")
	if len(r.Query()) > 0 {
		to += "?" + string(r.Query())
	}
	w.Redirect(http.StatusTemporaryRedirect, to)
}

func (m *Mux) notFound(w *ResponseWriter, r *Request) {
	if m.NotFound != nil {
		m.NotFound.ServeHTTP(w, r)
		return
	}
	w.Error(http.StatusNotFound, "404 page not found")
}

// search returns a search for the route of r.
func (r *Request) search() muxtree.Search[Handler] {
	return muxtree.Search[Handler]{To: &r.x.route, Decoder: &r.x.decoder, Method: r.Method()}
}

// PathValue returns the decoded part of the path that the Mux has matched with name in braces, nil if the pattern has
// no such name. It is valid until the handler returns.
func (r *Request) PathValue(name string) []byte {
	for i, n := range r.x.route.Names {
		if n == name {
			return r.x.route.Values[i]
		}
	}
	return nil
}
