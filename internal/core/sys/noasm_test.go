//go:build noasm

package sys

const noasm = true
