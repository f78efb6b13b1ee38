// A server of Go, which answers by itself.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

func main() {
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Printf("http://%s\n", listener.Addr())
	pool := make(chan bool, 10)
	http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/pool" {
			pool <- true
			time.Sleep(50 * time.Millisecond)
			<-pool
		}
		io.WriteString(w, "Hello")
	}))
}
