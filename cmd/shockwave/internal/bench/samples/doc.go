// Package samples has made-up runs for the tests of what writes reports.
package samples
