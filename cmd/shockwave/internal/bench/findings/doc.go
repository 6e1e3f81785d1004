// Package findings says in words what a report has found.
package findings
