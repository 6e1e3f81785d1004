package hpack

import "slices"

// Field is a field line, or a pseudo-header field whose name begins with a colon.
type Field struct {
	Name, Value string
	// Sensitive fields are never put into a table, by nobody on their way (RFC 7541 §7.1.3).
	Sensitive bool
}

// overhead is what an entry of a table, and a line of a list, counts besides its name and its value (RFC 7541 §4.1,
// RFC 9113 §10.5.1).
const overhead = 32

// Size returns what f counts in a table and in a list: the bytes of its name and value, and 32.
func (f Field) Size() int { return len(f.Name) + len(f.Value) + overhead }

// appendField appends a field, part by part: append would build it elsewhere and copy it, which takes several times as
// long.
func appendField(fields []Field, name, value string, sensitive bool) []Field {
	n := len(fields)
	if n == cap(fields) {
		fields = slices.Grow(fields, max(8-n, 1)) // fewer are rare
	}
	fields = fields[:n+1]
	f := &fields[n]
	f.Name = name
	f.Value = value
	f.Sensitive = sensitive
	return fields
}
