// The two kinds of request that a server is measured with.

export type RequestKind = 'Host only' | 'browser';

// What Chrome sends for `fetch` from a page of the same origin with a cookie. (The page has set
// `Referrer-Policy: no-referrer`: with a Referer there would be 14 lines.)
const BROWSER_LINES = [
  'Connection: keep-alive',
  'sec-ch-ua-platform: "Windows"',
  'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'sec-ch-ua: "Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
  'sec-ch-ua-mobile: ?0',
  'Accept: */*',
  'Sec-Fetch-Site: same-origin',
  'Sec-Fetch-Mode: cors',
  'Sec-Fetch-Dest: empty',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Accept-Language: en-GB,en;q=0.9,de;q=0.8',
  'Cookie: session=8f14e45fceea167a5a36dedd4bea2543; theme=dark; consent=analytics.0-marketing.0; seen=1763719200',
];

const FIELD_LINES: Readonly<Record<RequestKind, readonly string[]>> = {
  'Host only': [], // as load generators send it
  browser: BROWSER_LINES,
};

/** The bytes of a GET request of a kind. */
export function requestBytes(kind: RequestKind, port: number, path: string): Buffer {
  return Buffer.from([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...FIELD_LINES[kind], '', ''].join('\r\n'));
}
