package server

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// muxNode is a place in the tree of a Mux's patterns: what may follow after the segments up to here.
type muxNode struct {
	texts map[string]*muxNode // the next segment, decoded; "" is the end of a path that ends with a slash
	any   *muxNode            // behind a segment in braces
	end   muxLeaf             // the path ends here
	rest  muxLeaf             // a slash and whatever follows
}

// muxLeaf are the routes of one path.
type muxLeaf []muxRoute

// muxRoute is one pattern.
type muxRoute struct {
	method  string // "" for all
	names   []string
	handler Handler
}

// The faults of a pattern.
var (
	errPatternPath   = errors.New("a path begins with a slash; a host has no place in it")
	errPatternClean  = errors.New("the path is not clean")
	errPatternBraces = errors.New("braces stand around a whole segment, as {name}, {name...} at the end, or {$} at the end")
	errPatternName   = errors.New("a name is there twice, or empty")
	errPatternEscape = errors.New("an escape is none")
	errPatternTwice  = errors.New("it is there already")
	errPatternMethod = errors.New("a method is a token")
	errPatternNil    = errors.New("the handler is nil")
)

// add puts the path of a pattern into the tree below n, and returns its leaf and the names of what it takes.
func (n *muxNode) add(target string) (leaf *muxLeaf, names []string, err error) {
	if target == "" || target[0] != '/' {
		return nil, nil, errPatternPath
	}
	if !isClean([]byte(target)) {
		return nil, nil, errPatternClean
	}
	for target != "" {
		segment, rest, more := strings.Cut(target[1:], "/")
		if target = rest; more {
			target = "/" + rest
		}
		kind, text, err := readSegment(segment, target == "")
		if err != nil {
			return nil, nil, err
		}
		switch kind {
		case restSegment:
			names = append(names, text)
			return &n.rest, names, distinct(names)
		case anySegment:
			names = append(names, text)
			if n.any == nil {
				n.any = new(muxNode)
			}
			n = n.any
		default:
			if n.texts == nil {
				n.texts = map[string]*muxNode{}
			}
			if n.texts[text] == nil {
				n.texts[text] = new(muxNode)
			}
			n = n.texts[text]
		}
	}
	return &n.end, names, distinct(names)
}

// segmentKind is what a segment of a pattern stands for.
type segmentKind uint8

const (
	textSegment segmentKind = iota // itself, decoded
	anySegment                     // {name}: one segment that is not empty
	restSegment                    // {name...}, or nothing behind the last slash: whatever follows
)

// readSegment reads a segment of a pattern, which may be its last, and returns its text or name.
func readSegment(segment string, last bool) (kind segmentKind, text string, err error) {
	inner, braced := strings.CutPrefix(segment, "{")
	if !braced {
		if segment == "" {
			return restSegment, "", nil // only at the end: the path is clean
		}
		text, err := url.PathUnescape(segment)
		switch {
		case err != nil:
			return 0, "", errPatternEscape
		case strings.ContainsAny(text, "{}"):
			return 0, "", errPatternBraces
		}
		return textSegment, text, nil
	}
	name, closed := strings.CutSuffix(inner, "}")
	if !closed || strings.ContainsAny(name, "{}") {
		return 0, "", errPatternBraces
	}
	name, isRest := strings.CutSuffix(name, "...")
	switch {
	case name == "$" && last && !isRest:
		return textSegment, "", nil
	case name == "$", isRest && !last:
		return 0, "", errPatternBraces
	case name == "":
		return 0, "", errPatternName
	case isRest:
		return restSegment, name, nil
	}
	return anySegment, name, nil
}

// distinct fails if a name is there twice.
func distinct(names []string) error {
	for i, name := range names {
		for _, other := range names[:i] {
			if name == other && name != "" {
				return errPatternName
			}
		}
	}
	return nil
}

// add adds a route.
func (l *muxLeaf) add(r muxRoute) error {
	switch {
	case r.handler == nil:
		return errPatternNil
	case strings.ContainsAny(r.method, " \t{}/"):
		return errPatternMethod
	}
	for _, other := range *l {
		if other.method == r.method {
			return errPatternTwice
		}
	}
	*l = append(*l, r)
	return nil
}

// route is what a Mux has found for a request.
type route struct {
	names  []string // the pattern's
	values [][]byte // what stands there, decoded
}

func (r *route) reset() {
	r.names = nil
	clear(r.values)
	r.values = r.values[:0]
}

// PathValue returns what stands in the request's path where the pattern of the Mux that chose the handler has name in
// braces, decoded; nil if it has no such name. It is borrowed.
func (r *Request) PathValue(name string) []byte {
	for i, n := range r.x.route.names {
		if n == name {
			return r.x.route.values[i]
		}
	}
	return nil
}

// muxSearch looks for the route of one request. It puts the values on its way into x.route.
type muxSearch struct {
	x          *exchange
	method     []byte
	collecting bool     // whatever the method, and note which there are
	allow      []string // noted
}

// find returns the route for p, which is "" or begins with a slash, below n. Where a way ends it goes back and takes the
// next.
func (s *muxSearch) find(n *muxNode, p []byte) *muxRoute {
	if len(p) == 0 {
		return s.choose(n.end)
	}
	end := bytes.IndexByte(p[1:], '/') + 1
	if end == 0 {
		end = len(p)
	}
	segment, ok := s.decode(p[1:end])
	if !ok {
		return nil
	}
	if next := n.texts[string(segment)]; next != nil {
		if found := s.find(next, p[end:]); found != nil {
			return found
		}
	}
	values := &s.x.route.values
	if n.any != nil && len(segment) > 0 {
		*values = append(*values, segment)
		if found := s.find(n.any, p[end:]); found != nil {
			return found
		}
		*values = (*values)[:len(*values)-1]
	}
	if len(n.rest) == 0 {
		return nil
	}
	found := s.choose(n.rest)
	if found != nil {
		if rest, ok := s.decode(p[1:]); ok {
			*values = append(*values, rest)
			return found
		}
	}
	return nil
}

// decode decodes a part of the path. It fails for an escape that is none, and where escapes hide a segment of dots, which
// would lead elsewhere if the value were taken for a file's name.
func (s *muxSearch) decode(part []byte) (decoded []byte, ok bool) {
	decoded, ok = s.x.decode(part, false)
	if !ok || len(decoded) == len(part) {
		return decoded, ok
	}
	for i := range decoded {
		if (i == 0 || decoded[i-1] == '/') && isDots(decoded[i:]) {
			return nil, false
		}
	}
	return decoded, true
}

// choose returns the route of l for the method: its own, GET's for HEAD, that for all.
func (s *muxSearch) choose(l muxLeaf) *muxRoute {
	if s.collecting {
		s.collect(l)
		return nil
	}
	var get, all *muxRoute
	for i := range l {
		r := &l[i]
		switch {
		case r.method == string(s.method):
			return r
		case r.method == http.MethodGet && string(s.method) == http.MethodHead:
			get = r
		case r.method == "":
			all = r
		}
	}
	if get != nil {
		return get
	}
	return all
}

// note notes the methods of l.
func (s *muxSearch) collect(l muxLeaf) {
	for _, r := range l {
		s.allow = append(s.allow, r.method)
		if r.method == http.MethodGet {
			s.allow = append(s.allow, http.MethodHead)
		}
	}
}
