package main

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

// files serves the files under root: ranges, validators and conditional requests, a listing for a directory without an
// index.html. root keeps every name inside, also those that lead through symbolic links.
type files struct {
	root     *os.Root
	dotfiles bool // names that begin with a dot are served and listed like others
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
	// One name for one file: "..", "." and empty segments are refused, not resolved.
	if !fs.ValidPath(name) || s.hides(name) {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	if err := s.serve(w, r, name, slash); err != nil {
		code, text := fileStatus(err)
		http.Error(w, text, code)
	}
}

// wellKnown is where a site keeps what is asked for by everybody (RFC 8615), the one dotted name that is for all.
const wellKnown = ".well-known"

// hides reports whether a part of the path begins with a dot: what is called so (.git, .env, .htpasswd) is seldom meant
// for others.
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

// serve answers with the file or directory called name. An error means that nothing was written yet.
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
		return fs.ErrNotExist // a file has nothing below it
	}
	serveContent(w, r, f, info)
	return nil
}

// open opens a regular file or a directory. Anything else is not opened at all: a pipe would block, a device might act.
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
	// What was opened counts: the name may mean another file by now.
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// serveContent leaves ranges and conditions (RFC 9110 §13, §14) to http.ServeContent, which takes the tag from the
// head.
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

// entityTag is made of a file's size and time of change. It is strong once the file has rested for longer than any
// file system's clock ticks; before that a second change could have left the same time, and the tag says so by being
// weak (RFC 9110 §8.8.3).
func entityTag(info fs.FileInfo, now time.Time) string {
	const rest = 2 * time.Second
	tag := fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size())
	if now.Sub(info.ModTime()) < rest {
		return "W/" + tag
	}
	return tag
}

// contentType is the type that a name's extension stands for, "" if it stands for none.
func contentType(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if t, ok := contentTypes[ext]; ok {
		return t
	}
	return mime.TypeByExtension(ext)
}

// redirect sends the client to target, which is relative to what it asked for, with the query it came with.
func redirect(w http.ResponseWriter, r *http.Request, target string) {
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", target)
	w.WriteHeader(http.StatusMovedPermanently)
}

// fileStatus is the answer for a file that could not be served. A name that leads out of the root is one that is not
// there.
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
