# Varnish in front of three processes of the service. Replace the name service.example and the addresses. Set the
# service's ALLOWED_HOSTS to the same name. Varnish has no TLS: another proxy terminates it, and must set
# X-Forwarded-Proto. Varnish passes that on, and adds to X-Forwarded-For, so the service's TRUSTED_PROXIES has the
# addresses of both. Nothing is cached, because each reply says `Cache-Control: no-store`. Varnish sends HEAD as GET, so
# it gets a 200 and no 405.
# It was tried by hand, with Varnish 7.1.
vcl 4.1;
import directors;

# A process that stops replies 503, and gets no more requests. SHUTDOWN_DELAY_MS must be longer than two of these checks
# are apart. With `.url` in place of `.request`, their Host would be the address, and ALLOWED_HOSTS would refuse it.
probe health {
  .request = "GET /health HTTP/1.1" "Host: service.example" "X-Forwarded-Proto: https" "Connection: close";
  .interval = 200ms;
  .timeout = 1s;
  .window = 2;
  .threshold = 2;
  .initial = 2;
}

backend service1 { .host = "192.0.2.1"; .port = "8080"; .probe = health; }
backend service2 { .host = "192.0.2.2"; .port = "8080"; .probe = health; }
backend service3 { .host = "192.0.2.3"; .port = "8080"; .probe = health; }

sub vcl_init {
  new service = directors.round_robin();
  service.add_backend(service1);
  service.add_backend(service2);
  service.add_backend(service3);
}

sub vcl_recv {
  set req.backend_hint = service.backend();
}
