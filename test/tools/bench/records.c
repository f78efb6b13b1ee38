// `records PORT CLIENTS KIND`: clients over TLS that send, as fast as the kernel takes them, requests with each byte in
// a record of its own (KIND: records), or nothing but updates of keys (updates; RFC 8446 4.6.3). Replies are discarded.
// A client that has been disconnected connects again.
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char REQUEST[] = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
static struct sockaddr_in server = { .sin_family = AF_INET };
static int updates;

// Records are collected: thousands for each system call.
static int send_records(BIO *records, int fd) {
  char *bytes;
  long length = BIO_get_mem_data(records, &bytes);
  if (length < 65536) return 1;
  for (long sent = 0; sent < length;) {
    ssize_t taken = send(fd, bytes + sent, length - sent, 0);
    if (taken <= 0) return 0;
    sent += taken;
  }
  return BIO_reset(records);
}

static void *run_client(void *context) {
  char replies[65536];
  for (;; usleep(1000)) {
    SSL *ssl = SSL_new(context);
    BIO *records = BIO_new(BIO_s_mem());
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int is_open = connect(fd, (struct sockaddr *)&server, sizeof server) == 0;
    SSL_set_fd(ssl, fd);
    is_open = is_open && SSL_connect(ssl) == 1 && SSL_write(ssl, REQUEST, sizeof REQUEST - 1) > 0;
    SSL_set0_wbio(ssl, records);
    for (int i = 0; is_open; i = (i + 1) % (sizeof REQUEST - 1)) {
      if (updates) is_open = SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl) == 1;
      else is_open = SSL_write(ssl, &REQUEST[i], 1) == 1;
      is_open = is_open && send_records(records, fd);
      while (recv(fd, replies, sizeof replies, MSG_DONTWAIT) > 0) {}
    }
    SSL_free(ssl);
    close(fd);
  }
  return NULL;
}

int main(int count, char **arguments) {
  pthread_t client;
  if (count != 4) return 2;
  updates = strcmp(arguments[3], "updates") == 0;
  signal(SIGPIPE, SIG_IGN);
  inet_pton(AF_INET, "127.0.0.1", &server.sin_addr);
  server.sin_port = htons(atoi(arguments[1]));
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  puts("attacking"); // before hundreds of threads compete with this one
  fflush(stdout);
  for (int i = atoi(arguments[2]); i > 0; i -= 1) pthread_create(&client, NULL, run_client, context);
  pause();
}
