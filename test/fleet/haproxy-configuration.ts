// The proxy in front of the fleet, as an operator would set it up, but for what would hide a lost request.

export type Member = { readonly name: string; readonly port: number };

export type ProxyOptions = {
  readonly port: number;
  readonly members: readonly Member[];
  /** The path of the socket on which HAProxy tells its figures. */
  readonly statsSocket: string;
};

/** The text of an HAProxy configuration. */
export function haproxyConfiguration({ port, members, statsSocket }: ProxyOptions): string {
  return `
global
  log stdout format raw local0 notice
  stats socket ${statsSocket} mode 600 level user

defaults
  mode http
  log global
  option httplog
  # A failed request is a line in the log. Those that went well are below the level that is asked for.
  option log-separate-errors
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout check 1s
  # Nothing is sent twice: what a member does not answer is lost, and the client sees it.
  retries 0
  retry-on none
  no option redispatch

frontend clients
  bind 127.0.0.1:${port}
  default_backend fleet

backend fleet
  balance roundrobin
  # The hardest case: every request, the first of a client too, may go out on a connection that has been idle.
  http-reuse always
  option httpchk
  http-check send meth GET uri /health ver HTTP/1.1 hdr Host fleet
  http-check expect status 200
  option log-health-checks
  default-server check inter 200ms fall 2 rise 2
${members.map((member) => `  server ${member.name} 127.0.0.1:${member.port}`).join('\n')}
`;
}
