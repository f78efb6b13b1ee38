// `records PORT CLIENTS`: clients over TLS that send requests, each byte in a record of its own, as fast as the kernel
// takes them. Replies are discarded. A client that has been disconnected connects again.
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static const char REQUEST[] = "GET /api/greetings HTTP/1.1\r\nHost: localhost\r\n\r\n";
static struct sockaddr_in server = { .sin_family = AF_INET };

static void *run_client(void *context) {
  char replies[65536];
  for (;; usleep(1000)) {
    SSL *ssl = SSL_new(context);
    BIO *buffer = BIO_new(BIO_f_buffer()); // thousands of records for each system call
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int is_open = connect(fd, (struct sockaddr *)&server, sizeof server) == 0;
    BIO_set_write_buffer_size(buffer, 65536);
    SSL_set_bio(ssl, BIO_new_socket(fd, BIO_NOCLOSE), BIO_push(buffer, BIO_new_socket(fd, BIO_CLOSE)));
    SSL_set_connect_state(ssl); // the first write shakes hands
    while (is_open) {
      for (int i = 0; is_open && REQUEST[i] != 0; i += 1) is_open = SSL_write(ssl, &REQUEST[i], 1) == 1;
      while (recv(fd, replies, sizeof replies, MSG_DONTWAIT) > 0) {}
    }
    SSL_free(ssl); // closes the socket
  }
  return NULL;
}

int main(int count, char **arguments) {
  pthread_t client;
  if (count != 3) return 2;
  signal(SIGPIPE, SIG_IGN);
  inet_pton(AF_INET, "127.0.0.1", &server.sin_addr);
  server.sin_port = htons(atoi(arguments[1]));
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  for (int i = atoi(arguments[2]); i > 0; i -= 1) pthread_create(&client, NULL, run_client, context);
  puts("attacking");
  fflush(stdout);
  pause();
}
