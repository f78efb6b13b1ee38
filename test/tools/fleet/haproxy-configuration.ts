// The configuration of the proxy in front of the service: a usual one, without the options that hide a lost request.

export type Member = { readonly name: string; readonly port: number };

/** The text of an HAProxy configuration. `statsSocket` is the path of the Unix socket for its statistics. */
export function haproxyConfiguration(port: number, members: readonly Member[], statsSocket: string): string {
  return `
global
  log stdout format raw local0 notice
  stats socket ${statsSocket} mode 600 level user

defaults
  mode http
  log global
  option httplog
  # Failed requests are logged. Successful ones have a lower level, which is not logged.
  option log-separate-errors
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout check 1s
  # No request is sent twice. When a member does not answer, the request is lost, and the client notices.
  retries 0
  retry-on none
  no option redispatch

frontend clients
  bind 127.0.0.1:${port}
  default_backend fleet

backend fleet
  balance roundrobin
  # This is the hardest case: every request, also the first of a client, may be sent on an idle connection.
  http-reuse always
  option httpchk
  http-check send meth GET uri /health ver HTTP/1.1 hdr Host fleet
  http-check expect status 200
  option log-health-checks
  default-server check inter 200ms fall 2 rise 2
${members.map((member) => `  server ${member.name} 127.0.0.1:${member.port}`).join('\n')}
`;
}
