// Package bench is the command bench, which drives load and reports how it was answered. This package reads the command line,
// makes the runs and shows their progress; the packages below it measure, judge and write:
//
//	load     sends the requests and messages, and counts the answers
//	meter    measures what this process and the server have used meanwhile
//	report   is the report of a run: the figures, and the JSON
//	limits   judges a report by the conditions of -fail
//	findings says in words what a report has found
//	series   sets the runs at several sockets side by side
//	plain    writes a report as text, with plots
//	page     writes a report as a page of HTML, with charts
//	compare  is bench compare, which sets one report against another
package bench
