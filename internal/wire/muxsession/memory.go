package muxsession

// Memory is a pool of byte slices.
type Memory interface {
	// Get returns a slice of length size. Its content is undefined.
	Get(size int) []byte
	// Put returns a slice to the pool. It must not be used afterwards.
	Put(b []byte)
}
