package netconn

import (
	"io"
	"io/fs"
	"math"
	"syscall"
)

// file is what the kernel needs to send a file by itself. *os.File has it, and what io.Copy hands over in its place, of
// a type that hides its WriterTo. It is what package net asks for, too.
type file interface {
	syscall.Conn
	Stat() (fs.FileInfo, error)
}

// fileRange is the part of a regular file that a reader returns.
type fileRange struct {
	file file
	at   int64 // where it begins; -1: where the file stands, which moves on
	left int64 // bytes, fewer if the file ends
}

// IsFile reports whether the bytes of src are those of a regular file, so that the kernel can send them: whether it is a
// file, or an io.SectionReader of one, or an io.LimitedReader of either.
func IsFile(src io.Reader) bool {
	_, ok := rangeOf(src)
	return ok
}

// rangeOf returns the part of a regular file that src returns, and false if it is something else.
func rangeOf(src io.Reader) (fileRange, bool) {
	r := fileRange{at: -1, left: math.MaxInt64}
	for l, ok := src.(*io.LimitedReader); ok; l, ok = src.(*io.LimitedReader) {
		r.left, src = min(r.left, l.N), l.R
	}
	if s, ok := src.(*io.SectionReader); ok {
		outer, base, size := s.Outer()
		from, _ := s.Seek(0, io.SeekCurrent)
		r.at, r.left = base+from, min(r.left, size-from)
		r.file, _ = outer.(file)
	} else {
		r.file, _ = src.(file)
	}
	if r.file == nil {
		return r, false
	}
	info, err := r.file.Stat()
	return r, err == nil && info.Mode().IsRegular()
}

// take removes the first n bytes from r.
func (r *fileRange) take(n int) {
	r.left -= int64(n)
	if r.at >= 0 {
		r.at += int64(n)
	}
}

// skip makes src, which stands for a file, go on behind n bytes that the kernel has sent. Where the file stands, the
// kernel has moved itself.
func skip(src io.Reader, n int64) {
	for l, ok := src.(*io.LimitedReader); ok; l, ok = src.(*io.LimitedReader) {
		l.N -= n
		src = l.R
	}
	if s, ok := src.(*io.SectionReader); ok {
		s.Seek(n, io.SeekCurrent)
	}
}
