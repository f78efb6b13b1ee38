// The header with which a load balancer on TCP names its client: the PROXY protocol, version 1 (text) or 2 (binary).
// Sections are those of https://github.com/haproxy/haproxy/blob/master/doc/proxy-protocol.txt
import { isIP, isIPv4, SocketAddress } from 'node:net';

const V1_START = Buffer.from('PROXY ');
const V1_MAX = 107; // bytes (2.1)
const V2_START = Buffer.from('\r\n\r\n\0\r\nQUIT\n');
const V2_FIXED = 16; // bytes (2.2); they tell how many follow
const V2_MAX_FOLLOWING = 4_096; // our limit: before its header is there, a connection must not fill the memory
const V2_TCP = new Map([[0x11, 4], [0x21, 16]]); // the bytes of an address: of IPv4, of IPv6

export type ProxyHeader = {
  readonly length: number; // in bytes; what follows is the client's
  readonly client?: SocketAddress; // if it names one over TCP
};

/** Reads the header with which `bytes`, all that has come, begin. Undefined: it is illegal. */
export function readProxyHeader(bytes: Buffer): ProxyHeader | 'incomplete' | undefined {
  if (isStart(bytes, V1_START)) return readText(bytes);
  if (isStart(bytes, V2_START)) return readBinary(bytes);
  return undefined; // 2.2: neither version
}

// Whether `bytes` begin with `start`, as far as they go.
const isStart = (bytes: Buffer, start: Buffer) =>
  bytes.subarray(0, start.length).equals(start.subarray(0, bytes.length));

// 2.1: exactly its grammar, so that nobody reads another client in the same line. But the destination, which is not
// used here, may be of the other family: nginx writes its own address there (its issue 1609).
function readText(bytes: Buffer): ProxyHeader | 'incomplete' | undefined {
  const text = bytes.toString('latin1', 0, V1_MAX);
  const end = text.indexOf('\r\n'); // CR or LF alone does not end it
  if (end === -1) return bytes.length < V1_MAX ? 'incomplete' : undefined;
  const length = end + 2;
  const [, protocol = '', source = '', destination = '', ...ports] = text.slice(0, end).split(' ');
  if (protocol === 'UNKNOWN') return { length }; // whatever follows
  const isAddress = (one: string) => isIP(one) !== 0 && !one.includes('%'); // without a zone
  const isPort = (one: string) => /^(?:0|[1-9]\d{0,4})$/.test(one) && Number(one) <= 65_535;
  if (protocol !== `TCP${isIP(source)}` || ![source, destination].every(isAddress)) return undefined;
  if (ports.length !== 2 || !ports.every(isPort)) return undefined;
  return { length, client: clientAt(source, Number(ports[0])) };
}

// 2.2. What follows the addresses (2.2.1 to 2.2.8) is skipped.
function readBinary(bytes: Buffer): ProxyHeader | 'incomplete' | undefined {
  if (bytes.length < V2_FIXED) return 'incomplete';
  const [command, protocol, following] = [bytes.readUInt8(12), bytes.readUInt8(13), bytes.readUInt16BE(14)];
  const isLocal = command === 0x20; // for the balancer's own connections, such as checks; `protocol` is ignored
  const isProxy = command === 0x21 && protocol >> 4 <= 3 && (protocol & 15) <= 2; // a family, and how it is used
  const size = isProxy ? V2_TCP.get(protocol) : undefined;
  const least = size === undefined ? 0 : 2 * (size + 2); // addresses, ports
  if (!(isLocal || isProxy) || following < least || following > V2_MAX_FOLLOWING) return undefined;
  const length = V2_FIXED + following;
  if (bytes.length < length) return 'incomplete';
  if (size === undefined) return { length };
  const source = bytes.subarray(V2_FIXED, V2_FIXED + size);
  const address = size === 4 ? source.join('.') : source.toString('hex').replace(/.{4}(?!$)/g, '$&:');
  return { length, client: clientAt(address, bytes.readUInt16BE(V2_FIXED + 2 * size)) };
}

// With the address as Node writes it for a socket, too, whatever the balancer's way: RFC 5952 4.
const clientAt = (address: string, port: number) =>
  new SocketAddress({ address, port, family: isIPv4(address) ? 'ipv4' : 'ipv6' });
