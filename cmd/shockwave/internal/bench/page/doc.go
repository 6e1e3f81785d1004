// Package page writes reports as a self-contained page of HTML.
package page
