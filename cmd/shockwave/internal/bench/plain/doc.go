// Package plain writes reports as text, at most 100 columns wide.
package plain
