// Package filerange finds the part of a regular file that a reader returns, so that the kernel can send it by itself.
package filerange

import (
	"io"
	"io/fs"
	"math"
	"syscall"
)

// file is what the kernel needs to send a file by itself, and what package net asks for. *os.File has it, and so has the value
// that io.Copy passes on for a file, whose type hides WriterTo.
type file interface {
	syscall.Conn
	Stat() (fs.FileInfo, error)
}

// Range is the part of a regular file that a reader returns.
type Range struct {
	File syscall.Conn
	At   int64 // where it begins; -1: at the file's current position, which moves on
	Left int64 // bytes, fewer if the file ends
}

// IsFile reports whether the bytes of src are those of a regular file, so that the kernel can send them: src is a file, an
// io.SectionReader of one, or an io.LimitedReader of either.
func IsFile(src io.Reader) bool {
	_, ok := Of(src)
	return ok
}

// Of returns the part of a regular file that src returns, and false if it is something else.
func Of(src io.Reader) (Range, bool) {
	r := Range{At: -1, Left: math.MaxInt64}
	for l, ok := src.(*io.LimitedReader); ok; l, ok = src.(*io.LimitedReader) {
		r.Left, src = min(r.Left, l.N), l.R
	}
	var f file
	if s, ok := src.(*io.SectionReader); ok {
		outer, base, size := s.Outer()
		from, _ := s.Seek(0, io.SeekCurrent)
		r.At, r.Left = base+from, min(r.Left, size-from)
		f, _ = outer.(file)
	} else {
		f, _ = src.(file)
	}
	if f == nil {
		return r, false
	}
	r.File = f
	info, err := f.Stat()
	return r, err == nil && info.Mode().IsRegular()
}

// Take removes the first n bytes from r.
func (r *Range) Take(n int) {
	r.Left -= int64(n)
	if r.At >= 0 {
		r.At += int64(n)
	}
}

// Skip makes src, for which Of has returned a Range, go on behind n bytes that the kernel has sent. The file's own position
// has been moved by the kernel.
func Skip(src io.Reader, n int64) {
	for l, ok := src.(*io.LimitedReader); ok; l, ok = src.(*io.LimitedReader) {
		l.N -= n
		src = l.R
	}
	if s, ok := src.(*io.SectionReader); ok {
		s.Seek(n, io.SeekCurrent)
	}
}
