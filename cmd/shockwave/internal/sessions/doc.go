// Package sessions opens the sessions of the commands mux and forward, by listening or by dialling.
package sessions
