package shockwave

// Header is an ordered list of field lines (RFC 9110 §5), kept as spans of one flat buffer.
//
// Names are compared without regard to case and written as they were given. A Header that a parser filled borrows the
// parser's bytes; what its getters return is valid as long as those are. A Header filled through Add and Set owns its
// bytes; what its getters return is valid until the next change. The zero value is an empty list. Not safe for
// concurrent use.
type Header struct {
	buf   []byte
	lines []Line
}

// Span is a range of bytes in the buffer that Header.Bytes returns.
type Span struct{ Start, End uint32 }

// Line is where one field line's name and value stand in the buffer that Header.Bytes returns. The value is without
// the optional white space around it.
type Line struct{ Name, Value Span }

// Reset empties h and keeps its memory; bytes that were lent to it are forgotten.
func (h *Header) Reset() { panic("header") }

// Len returns the number of field lines.
func (h *Header) Len() int { panic("header") }

// At returns the i-th line.
func (h *Header) At(i int) (name, value []byte) { panic("header") }

// Line returns where the i-th line stands in Bytes.
func (h *Header) Line(i int) Line { panic("header") }

// Bytes returns the buffer that the lines are spans of.
func (h *Header) Bytes() []byte { panic("header") }

// Get returns the value of the first line called name, nil if there is none.
func (h *Header) Get(name string) []byte { panic("header") }

// GetString is Get as a string of its own; it allocates at most once.
func (h *Header) GetString(name string) string { panic("header") }

// Has tells whether there is a line called name.
func (h *Header) Has(name string) bool { panic("header") }

// Next returns the first value called name at index i or later, and the index to go on from; next is 0 when there is
// none:
//
//	for v, i := h.Next("Accept", 0); i > 0; v, i = h.Next("Accept", i) { … }
func (h *Header) Next(name string, i int) (value []byte, next int) { panic("header") }

// Add appends a line; name and value are copied. Nothing is checked here: what writes a Header refuses bad lines.
func (h *Header) Add(name, value string) { panic("header") }

// AddBytes is Add for byte slices.
func (h *Header) AddBytes(name, value []byte) { panic("header") }

// Set replaces every line called name by one, or adds it.
func (h *Header) Set(name, value string) { panic("header") }

// Del removes every line called name.
func (h *Header) Del(name string) { panic("header") }

// Borrow empties h and makes b the buffer that lines appended by Append are spans of; b is not copied. A later Add,
// AddBytes or Set copies what is needed first and never writes to b.
func (h *Header) Borrow(b []byte) { panic("header") }

// Append appends a line that stands in the buffer already; for parsers.
func (h *Header) Append(l Line) { panic("header") }
