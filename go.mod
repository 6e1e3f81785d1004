module github.com/shockwave-go/shockwave

go 1.26
