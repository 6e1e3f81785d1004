module github.com/shockwave-go/shockwave

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/google/go-cmp v0.7.0
	github.com/guptarohit/asciigraph v0.10.0
	go.uber.org/goleak v1.3.0
)

require golang.org/x/sys v0.49.0
