package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// files serves the files under root with ranges, validators and conditional requests. A directory without an index.html
// is answered with a listing. os.Root makes sure that no name leads out of root, not even through symbolic links.
type files struct {
	root     *os.Root
	dotfiles bool // also serve and list names that begin with a dot
}

func (s *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "files can be read, nothing else", http.StatusMethodNotAllowed)
		return
	}
	name, slash := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.URL.Path == "/" || r.URL.Path == "" {
		name = "."
	}
	// Paths with "..", "." or empty segments are refused and not resolved, so every file has exactly one name. A name need
	// not be UTF-8.
	if !fs.ValidPath(strings.ToValidUTF8(name, "?")) || s.hides(name) {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	if err := s.serve(w, r, name, slash); err != nil {
		code, text := fileStatus(err)
		http.Error(w, text, code)
	}
}

// wellKnown is the directory for metadata of a site (RFC 8615). It is the one name with a dot that is always served.
const wellKnown = ".well-known"

// hides reports whether a part of the path begins with a dot. Such files (.git, .env, .htpasswd) are seldom meant to be
// published.
func (s *files) hides(name string) bool {
	if s.dotfiles || name == "." {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && part != wellKnown {
			return true
		}
	}
	return false
}

// serve answers with the file or directory called name. slash says whether the path ended with a slash. If serve
// returns an error nothing has been written.
func (s *files) serve(w http.ResponseWriter, r *http.Request, name string, slash bool) error {
	f, info, err := s.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	switch {
	case info.IsDir() && !slash && name != ".":
		redirect(w, r, "./"+url.PathEscape(path.Base(name))+"/")
		return nil
	case info.IsDir():
		index, indexInfo, err := s.open(path.Join(name, "index.html"))
		if err != nil || indexInfo.IsDir() {
			return s.list(w, r, f, name)
		}
		defer index.Close()
		serveContent(w, r, index, indexInfo)
		return nil
	case slash:
		return fs.ErrNotExist // a file is not a directory
	}
	serveContent(w, r, f, info)
	return nil
}

// open opens a regular file or a directory. It refuses anything else before opening it: opening a pipe would block, and
// opening a device may have side effects.
func (s *files) open(name string) (*os.File, fs.FileInfo, error) {
	info, err := s.root.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, nil, fs.ErrNotExist
	}
	f, err := s.root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	// Stat the open file: the name may refer to another one by now.
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// serveContent answers with the file f. http.ServeContent handles ranges and conditions (RFC 9110 §13, §14), using the
// Etag set here.
func serveContent(w http.ResponseWriter, r *http.Request, f *os.File, info fs.FileInfo) {
	h := w.Header()
	h.Set("Etag", entityTag(info, time.Now()))
	h.Set("X-Content-Type-Options", "nosniff")
	if t := contentType(info.Name()); t != "" {
		h.Set("Content-Type", t)
	}
	// A range in a unit that is not understood is ignored (RFC 9110 §14.2); http.ServeContent would answer 416.
	if unit, _, _ := strings.Cut(r.Header.Get("Range"), "="); unit != "bytes" {
		r.Header.Del("Range")
	}
	http.ServeContent(w, r, info.Name(), info.ModTime(), f)
}

// entityTag returns an entity tag made of the file's size and modification time. The tag is strong once the
// modification is older than the clock resolution of any file system. Before that a second modification could have left
// the same time, so the tag is weak (RFC 9110 §8.8.3).
func entityTag(info fs.FileInfo, now time.Time) string {
	const settled = 2 * time.Second
	tag := fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size())
	if now.Sub(info.ModTime()) < settled {
		return "W/" + tag
	}
	return tag
}

// contentType returns the media type for the extension of name, or "" if it is unknown.
func contentType(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if t, ok := contentTypes[ext]; ok {
		return t
	}
	return mime.TypeByExtension(ext)
}

// redirect redirects the client to target, which is relative to the request's URL, and keeps the query.
func redirect(w http.ResponseWriter, r *http.Request, target string) {
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", target)
	w.WriteHeader(http.StatusMovedPermanently)
}

// fileStatus returns the status and text for a file that cannot be served. A name that leads out of the root counts as
// missing.
func fileStatus(err error) (code int, text string) {
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrPermission):
		return http.StatusForbidden, "this file may not be read"
	case errors.As(err, &errno) && errno.Temporary():
		return http.StatusServiceUnavailable, "too much is open at the moment"
	default:
		return http.StatusNotFound, "there is no such file"
	}
}
