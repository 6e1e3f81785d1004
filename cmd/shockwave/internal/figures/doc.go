// Package figures writes numbers, times and sizes as people read them.
package figures
