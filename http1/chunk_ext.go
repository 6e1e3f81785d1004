package http1

import "github.com/shockwave-go/shockwave/internal/wire/ascii"

// extByte is the class of a byte in a chunk extension.
type extByte uint8

const (
	extOther     extByte = iota // allowed only in a quoted string
	extTchar                    // allowed in a token
	extSpace                    // SP, HTAB
	extSemicolon                // ";"
	extEquals                   // "="
	extQuote                    // a double quote
	extBackslash                // "\\"
	extReturn                   // CR
	extControl                  // not allowed
	extBytes
)

// extNext is the table of the grammar *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ) CR (RFC 9112
// §7.1.1, RFC 9110 §5.6.3, §5.6.4), which begins after the size. Transitions that it does not contain are refused. That
// includes white space that is not followed by a semicolon: the grammar does not have it, and recipients disagree about
// its meaning.
var extNext = [...][extBytes]bodyState{
	extName:      {extSpace: extName, extTchar: extNameMore},
	extNameMore:  {extTchar: extNameMore, extSpace: extNameEnd, extEquals: extValue, extSemicolon: extName, extReturn: sizeLF},
	extNameEnd:   {extSpace: extNameEnd, extEquals: extValue, extSemicolon: extName},
	extValue:     {extSpace: extValue, extTchar: extToken, extQuote: extQuoted},
	extToken:     {extTchar: extToken, extSpace: extBlank, extSemicolon: extName, extReturn: sizeLF},
	extQuoted:    {extOther: extQuoted, extTchar: extQuoted, extSpace: extQuoted, extSemicolon: extQuoted, extEquals: extQuoted, extQuote: extQuotedEnd, extBackslash: extEscape},
	extEscape:    {extOther: extQuoted, extTchar: extQuoted, extSpace: extQuoted, extSemicolon: extQuoted, extEquals: extQuoted, extQuote: extQuoted, extBackslash: extQuoted},
	extQuotedEnd: {extSpace: extBlank, extSemicolon: extName, extReturn: sizeLF},
	extBlank:     {extSpace: extBlank, extSemicolon: extName},
}

// extByteOf returns the class of c.
func extByteOf(c byte) extByte {
	switch c {
	case ' ', '\t':
		return extSpace
	case ';':
		return extSemicolon
	case '=':
		return extEquals
	case '"':
		return extQuote
	case '\\':
		return extBackslash
	case '\r':
		return extReturn
	}
	switch {
	case ascii.Is(c, ascii.Token):
		return extTchar
	case ascii.Is(c, ascii.Value):
		return extOther
	}
	return extControl
}

// extensionByte decodes a byte of the extensions of a chunk. Their content is ignored. Their grammar is checked so that
// no other recipient can see the end of the line in another place.
func (d *Body) extensionByte(c byte) *Error {
	switch next := extNext[d.state][extByteOf(c)]; {
	case next == sizeLF:
		d.state = sizeLF
		return nil
	case next != bodyEnded:
		return d.extend(next)
	case c == '\n':
		return errBareLF
	}
	return errChunkExt
}

// extend counts one byte of extensions and enters state.
func (d *Body) extend(state bodyState) *Error {
	if d.extLeft--; d.extLeft < 0 {
		return errExtSize
	}
	d.state = state
	return nil
}
