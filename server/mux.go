package server

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
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
// A path that matches only patterns with other methods is answered 405 with Allow, a path that matches none 404. A path
// that is not clean ("//", "/./", "/../"), or that would match with a slash at its end, is redirected. A path value
// never has "." or ".." between slashes: a path with such a segment hidden by escapes matches no pattern.
//
// Handle must not be called while the Mux serves. ServeHTTP is safe for concurrent use. The zero Mux is ready to use.
type Mux struct {
	root muxNode

	// NotFound answers requests that match no pattern. Default: 404 and a short text.
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
	leaf, names, err := m.root.add(strings.TrimLeft(target, " \t"))
	if err == nil {
		err = leaf.add(muxRoute{method, names, h})
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
	case !isClean(p):
		m.redirect(w, r, cleaned(p))
	default:
		r.x.route.reset()
		search := muxSearch{x: r.x, method: r.Method()}
		if found := search.find(&m.root, p); found != nil {
			r.x.route.names = found.names
			found.handler.ServeHTTP(w, r)
			return
		}
		m.refuse(w, r)
	}
}

// refuse answers a request without a route: with a redirect if a slash is missing, otherwise with 405 or 404.
func (m *Mux) refuse(w *ResponseWriter, r *Request) {
	p := r.Path()
	with := muxSearch{x: r.x, method: r.Method()}
	slashed := append(slices.Clone(p), '/')
	found := with.find(&m.root, slashed)
	all := muxSearch{x: r.x, collecting: true}
	if all.find(&m.root, p); found == nil && len(all.allow) == 0 {
		all.find(&m.root, slashed)
	}
	r.x.route.reset()
	switch {
	case len(all.allow) > 0:
		slices.Sort(all.allow)
		w.Header().Set("Allow", strings.Join(slices.Compact(all.allow), ", "))
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

// isClean reports whether p, which begins with a slash, has no empty segments and no segments "." or "..". A slash at
// its end is allowed.
func isClean(p []byte) bool {
	for i := 1; i < len(p); i++ {
		if p[i-1] == '/' && (p[i] == '/' || isDots(p[i:])) {
			return false
		}
	}
	return true
}

// isDots reports whether the first segment of p is "." or "..".
func isDots(p []byte) bool {
	n := 0
	for n < len(p) && p[n] == '.' {
		n++
	}
	return (n == 1 || n == 2) && (n == len(p) || p[n] == '/')
}

// cleaned returns p without empty segments, "." and "..".
func cleaned(p []byte) string {
	clean := path.Clean(string(p))
	if p[len(p)-1] == '/' && clean != "/" {
		clean += "/"
	}
	return clean
}
