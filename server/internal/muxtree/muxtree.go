// Package muxtree finds the route of a path in a tree of patterns.
package muxtree

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/shockwave-go/shockwave/server/internal/params"
)

// Node is a node in the tree of patterns: the zero Node is an empty tree. It stands for the segments that lead to it.
type Node[H any] struct {
	texts map[string]*Node[H] // the next segment, decoded; "" is the end of a path that ends with a slash
	any   *Node[H]            // the next segment is in braces
	end   leaf[H]             // routes whose path ends here
	rest  leaf[H]             // routes that match a slash and whatever follows it
}

// leaf is the list of routes of one path.
type leaf[H any] []Route[H]

// Route is one registered pattern.
type Route[H any] struct {
	Method  string // "" matches all
	Names   []string
	Handler H
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
)

// Add adds the route for a method, "" for all, and the path of a pattern to the tree below n.
func (n *Node[H]) Add(method, target string, h H) error {
	at, names, err := n.add(target)
	if err != nil {
		return err
	}
	return at.add(Route[H]{method, names, h})
}

// add adds the path of a pattern to the tree below n. It returns the path's leaf and the names of the path's values.
func (n *Node[H]) add(target string) (at *leaf[H], names []string, err error) {
	if target == "" || target[0] != '/' {
		return nil, nil, errPatternPath
	}
	if !IsClean([]byte(target)) {
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
				n.any = new(Node[H])
			}
			n = n.any
		default:
			if n.texts == nil {
				n.texts = map[string]*Node[H]{}
			}
			if n.texts[text] == nil {
				n.texts[text] = new(Node[H])
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
func (l *leaf[H]) add(r Route[H]) error {
	switch {
	case strings.ContainsAny(r.Method, " \t{}/"):
		return errPatternMethod
	}
	for _, other := range *l {
		if other.Method == r.Method {
			return errPatternTwice
		}
	}
	*l = append(*l, r)
	return nil
}

// Match is what was found for a request.
type Match struct {
	Names  []string // of the pattern
	Values [][]byte // the decoded parts of the path with these names
}

// Reset empties r, and keeps its memory.
func (r *Match) Reset() {
	r.Names = nil
	clear(r.Values)
	r.Values = r.Values[:0]
}

// Search is the search for the route of one request. It stores the values that it passes in To.
type Search[H any] struct {
	To         *Match
	Decoder    *params.Decoder
	Method     []byte
	Collecting bool     // visit all routes of the path and add their methods to Allow
	Allow      []string // the methods found
}

// Find returns the route for p, which is "" or begins with a slash, below n. It backtracks: if a branch does not match,
// it tries the next one.
func (s *Search[H]) Find(n *Node[H], p []byte) *Route[H] {
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
		if found := s.Find(next, p[end:]); found != nil {
			return found
		}
	}
	values := &s.To.Values
	if n.any != nil && len(segment) > 0 {
		*values = append(*values, segment)
		if found := s.Find(n.any, p[end:]); found != nil {
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
func (s *Search[H]) decode(part []byte) (decoded []byte, ok bool) {
	decoded, ok = s.Decoder.Decode(part, false)
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
func (s *Search[H]) choose(l leaf[H]) *Route[H] {
	if s.Collecting {
		s.collect(l)
		return nil
	}
	var get, all *Route[H]
	for i := range l {
		r := &l[i]
		switch {
		case r.Method == string(s.Method):
			return r
		case r.Method == http.MethodGet && string(s.Method) == http.MethodHead:
			get = r
		case r.Method == "":
			all = r
		}
	}
	if get != nil {
		return get
	}
	return all
}

// collect adds the methods of l to allow.
func (s *Search[H]) collect(l leaf[H]) {
	for _, r := range l {
		s.Allow = append(s.Allow, r.Method)
		if r.Method == http.MethodGet {
			s.Allow = append(s.Allow, http.MethodHead)
		}
	}
}
