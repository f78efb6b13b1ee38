// A server of Go, which answers by itself.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
)

func main() {
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Printf("http://%s\n", listener.Addr())
	http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "Hello")
	}))
}
