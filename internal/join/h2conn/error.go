package h2conn

import "github.com/shockwave-go/shockwave"

import (
	"errors"
	"reflect"
	"strconv"

	"github.com/shockwave-go/shockwave/http2"
)

// StreamError is the error of a stream that was reset, by the peer or because the peer broke a rule. Programs know this
// error by the text and the fields that golang.org/x/net/http2 gives it: the text here is the same, and errors.As finds
// in it any struct type with fields of these names and kinds, as in the stream errors of net/http. It also finds an
// *http2.Error.
type StreamError struct {
	StreamID uint32
	Code     http2.ErrCode
	// Cause is the rule that the peer broke, an *http2.Error. If the peer reset the stream it is errFromPeer with a client,
	// nil with a server.
	Cause error
}

// errFromPeer is the Cause of a StreamError whose stream a server has reset.
var errFromPeer = errors.New("received from peer")

// Error returns the message.
func (e *StreamError) Error() string {
	text := "stream error: stream ID " + strconv.FormatUint(uint64(e.StreamID), 10) + "; " + codeText(e.Code)
	if rule, ok := e.Cause.(*http2.Error); ok {
		return text + "; " + detail(rule)
	}
	if e.Cause != nil {
		return text + "; " + e.Cause.Error()
	}
	return text
}

// Unwrap returns Cause.
func (e *StreamError) Unwrap() error { return e.Cause }

// As implements the interface that errors.As uses.
func (e *StreamError) As(target any) bool {
	if rule, ok := target.(**http2.Error); ok {
		if _, ok := e.Cause.(*http2.Error); ok {
			return false // errors.As unwraps it
		}
		*rule = &http2.Error{Code: e.Code, Violation: shockwave.Violation{Rule: "RFC 9113 §6.4", Msg: "the stream was reset by its peer"}}
		return true
	}
	return assignFields(reflect.ValueOf(target).Elem(), reflect.ValueOf(*e))
}

// assignFields assigns the fields of from to those of to, a struct of the same fields, and reports whether it is one.
func assignFields(to, from reflect.Value) bool {
	if to.Kind() != reflect.Struct || to.NumField() != from.NumField() {
		return false
	}
	for i := range from.NumField() {
		theirs, ours := to.Type().Field(i), from.Type().Field(i)
		if !theirs.IsExported() || theirs.Name != ours.Name || !ours.Type.ConvertibleTo(theirs.Type) {
			return false
		}
	}
	for i := range from.NumField() {
		to.Field(i).Set(from.Field(i).Convert(to.Field(i).Type()))
	}
	return true
}

// ConnectionError is the error of streams whose connection has ended because the peer broke a rule. Its text begins as
// that of golang.org/x/net/http2's type of this name.
type ConnectionError struct{ Cause *http2.Error }

// Error returns the message.
func (e *ConnectionError) Error() string {
	return "connection error: " + codeText(e.Cause.Code) + "; " + detail(e.Cause)
}

// Unwrap returns Cause.
func (e *ConnectionError) Unwrap() error { return e.Cause }

// detail returns the message of e with its rule.
func detail(e *http2.Error) string { return e.Msg + " (" + e.Rule + ")" }

// codeText returns the code as errors of golang.org/x/net/http2 write it.
func codeText(code http2.ErrCode) string {
	if code > http2.ErrCodeHTTP11Required {
		return "unknown error code " + code.String()
	}
	return code.String()
}
