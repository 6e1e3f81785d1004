package http1

import "github.com/shockwave-go/shockwave/internal/ascii"

// extByte is what a byte of a chunk extension can be.
type extByte uint8

const (
	extOther     extByte = iota // a byte that only a quoted string may hold
	extTchar                    // of a token
	extSpace                    // SP, HTAB
	extSemicolon                // ";"
	extEquals                   // "="
	extQuote                    // a double quote
	extBackslash                // "\\"
	extReturn                   // CR
	extControl                  // nothing may hold it
	extBytes
)

// extNext is *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ) CR as a table (RFC 9112 §7.1.1, RFC 9110
// §5.6.3, §5.6.4), from after the size on. What is not in it is refused: also white space that no semicolon follows,
// which the grammar does not have, because readers disagree on what it ends.
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

// extensionByte reads a byte of the extensions of a chunk. They mean nothing here; their grammar is checked so that no
// other reader can see another end of the line.
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

// extend enters state with one more byte of extensions.
func (d *Body) extend(state bodyState) *Error {
	if d.extLeft--; d.extLeft < 0 {
		return errExtSize
	}
	d.state = state
	return nil
}
