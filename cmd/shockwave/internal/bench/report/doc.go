// Package report is the report of a run of bench: its figures, which are also the JSON that -json writes.
package report
