module github.com/rpcgen-go/rpcgen/test/workbench

go 1.26.0

require (
	github.com/chromedp/cdproto v0.0.0-20250724212937-08a3db8b4327
	github.com/chromedp/chromedp v0.14.2
	github.com/gobwas/ws v1.4.0
)

require (
	github.com/chromedp/sysutil v1.1.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/gobwas/httphead v0.1.0 // indirect
	github.com/gobwas/pool v0.2.1 // indirect
	github.com/rpcgen-go/rpcgen v0.0.0
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/rpcgen-go/rpcgen => ../..
