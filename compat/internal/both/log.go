package both

import (
	"bytes"
	"sync"
)

// Log keeps what a server logs. The zero Log is empty. All methods may be called concurrently.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer for the log package.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all that was logged so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
