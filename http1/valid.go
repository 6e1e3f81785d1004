package http1

import "github.com/shockwave-go/shockwave/internal/wire/ascii"

// ValidToken reports whether s is a token (RFC 9110 §5.6.2). Methods and field names must be tokens.
func ValidToken(s []byte) bool { return len(s) > 0 && ascii.All(s, ascii.Token) }

// ValidFieldValue reports whether s may be a field value: it must hold no control byte other than HTAB (RFC 9110 §5.5).
func ValidFieldValue(s []byte) bool { return indexControl(s, 0) == len(s) }
