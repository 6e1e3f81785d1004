// Package doctor is the command doctor, which says which settings of a machine would hold a server back.
package doctor
