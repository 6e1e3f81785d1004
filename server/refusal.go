package server

import (
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// The errors for requests that the server itself refuses; http1 refuses others.
var (
	errExpectation = &http1.Error{
		Status:    417,
		Violation: shockwave.Violation{Who: shockwave.Peer, Rule: "RFC 9110 §10.1.1", Msg: "an expectation that is not 100-continue"},
	}
)

// errHeadSize is the refusal of a head that is larger than Config.MaxHeadBytes or MaxHeadFields.
var errHeadSize = &http1.Error{
	Status:    431,
	Violation: shockwave.Violation{Who: shockwave.Peer, Rule: "RFC 6585 §5", Msg: "the request's fields are too large or too many"},
}

// errTarget is the refusal of a target that is longer than Config.MaxTargetBytes.
var errTarget = &http1.Error{Status: 414, Violation: shockwave.Violation{Who: shockwave.Peer, Rule: "RFC 9110 §15.5.15", Msg: "request-target too long"}}

// bodyFailure returns the response to a request whose body could not be read, if the handler wrote none. A status of 0
// means no response.
func bodyFailure(err error) (status int, why string) {
	if e, ok := errors.AsType[*http1.Error](err); ok {
		return e.Status, e.Msg
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return 413, "the request's body is too large" // RFC 9110 §15.5.14
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return 400, "the request's body was cut short" // RFC 9112 §8
	case errors.Is(err, os.ErrDeadlineExceeded):
		return 408, "the request's body did not arrive in time" // RFC 9110 §15.5.9
	}
	return 0, ""
}
