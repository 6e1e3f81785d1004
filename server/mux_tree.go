package server

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// muxNode is a node in the tree of a Mux's patterns. It stands for the segments that lead to it.
type muxNode struct {
	texts map[string]*muxNode // the next segment, decoded; "" is the end of a path that ends with a slash
	any   *muxNode            // the next segment is in braces
	end   muxLeaf             // routes whose path ends here
	rest  muxLeaf             // routes that match a slash and whatever follows it
}

// muxLeaf is the list of routes of one path.
type muxLeaf []muxRoute

// muxRoute is one registered pattern.
type muxRoute struct {
	method  string // "" matches all
	names   []string
	handler Handler
}

// The errors of a malformed pattern.
var (
	errPatternPath   = errors.New("the path must begin with a slash; a pattern has no host")
	errPatternClean  = errors.New("the path is not clean")
	errPatternBraces = errors.New("braces must enclose a whole segment: {name}, or {name...} or {$} at the end")
	errPatternName   = errors.New("a name occurs twice or is empty")
	errPatternEscape = errors.New("a percent sign without two hexadecimal digits")
	errPatternTwice  = errors.New("the pattern is registered already")
	errPatternMethod = errors.New("the method is not a token")
	errPatternNil    = errors.New("the handler is nil")
)

// add adds the path of a pattern to the tree below n. It returns the path's leaf and the names of the path's values.
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

// segmentKind is the kind of a segment of a pattern.
type segmentKind uint8

const (
	textSegment segmentKind = iota // literal text, decoded
	anySegment                     // {name}: matches one segment that is not empty
	restSegment                    // {name...}, or nothing after the last slash: matches whatever follows
)

// readSegment parses a segment of a pattern. last reports that it is the last one. text is its literal text or its
// name.
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

// distinct returns an error if names contains a name twice.
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

// add adds a route. It returns an error if the route is malformed or already there.
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

// route is the route that a Mux has found for a request.
type route struct {
	names  []string // of the pattern
	values [][]byte // the decoded parts of the path with these names
}

func (r *route) reset() {
	r.names = nil
	clear(r.values)
	r.values = r.values[:0]
}

// PathValue returns the decoded part of the path that the Mux has matched with name in braces, nil if the pattern has
// no such name. It is valid until the handler returns.
func (r *Request) PathValue(name string) []byte {
	for i, n := range r.x.route.names {
		if n == name {
			return r.x.route.values[i]
		}
	}
	return nil
}

// muxSearch is the search for the route of one request. It stores the values that it passes in x.route.
type muxSearch struct {
	x          *exchange
	method     []byte
	collecting bool     // visit all routes of the path and add their methods to allow
	allow      []string // the methods found
}

// find returns the route for p, which is "" or begins with a slash, below n. It backtracks: if a branch does not match,
// it tries the next one.
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

// decode decodes a part of the path. ok is false if an escape is malformed, or if escapes hide a segment "." or "..",
// which would lead to another directory if the value were used as a file name.
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

// choose returns the route of l for the method: the method's own, for HEAD that of GET, otherwise that for all methods.
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

// collect adds the methods of l to allow.
func (s *muxSearch) collect(l muxLeaf) {
	for _, r := range l {
		s.allow = append(s.allow, r.method)
		if r.method == http.MethodGet {
			s.allow = append(s.allow, http.MethodHead)
		}
	}
}
