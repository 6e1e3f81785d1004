package nethttp

import "sync"

var copyBuffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// getCopyBuffer returns a 64 KiB buffer from the pool; return it with putCopyBuffer.
func getCopyBuffer() *[]byte { return copyBuffers.Get().(*[]byte) }

func putCopyBuffer(b *[]byte) { copyBuffers.Put(b) }
