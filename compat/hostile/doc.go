// Package hostile lets the client "shockwave get" ask servers that break the rules, flood it, or say nothing: it must refuse
// them in time and with little memory, and go on with the next server. It has only tests.
package hostile
