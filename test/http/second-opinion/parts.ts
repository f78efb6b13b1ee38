// The parts of a request, cut from its text in the simplest way. Nothing is refused here.

export type Parts = {
  readonly line: string;
  readonly method: string;
  readonly target: string;
  /** `HTTP/1.1` */
  readonly protocol: string;
  readonly fieldLines: readonly string[];
  /** The values of all fields with this name, which is in lower case. */
  readonly values: (name: string) => string[];
  /** How many bytes there are up to the end of the request line, and up to the end of the head, at least. */
  readonly lineEnd: number;
  readonly headEnd: number;
  readonly content: string;
};

export function partsOf(text: string): Parts {
  const [emptyLines = ''] = /^[\r\n]*/.exec(text) ?? [];
  const headEnd = endOf('\r\n\r\n', text, emptyLines.length);
  const [line = '', ...fieldLines] = text.slice(emptyLines.length, headEnd).replace(/\r\n\r\n$/, '').split('\r\n');
  const [method = '', ...others] = line.split(/ +/);
  const values = (name: string) => fieldLines.flatMap((field) => {
    return field.toLowerCase().startsWith(`${name}:`) ? [trimmed(field.slice(name.length + 1))] : [];
  });
  return {
    line,
    method,
    target: others.slice(0, -1).join(' '),
    protocol: others.at(-1) ?? '',
    fieldLines,
    values,
    lineEnd: endOf('\r\n', text, emptyLines.length),
    headEnd,
    content: text.slice(headEnd),
  };
}

/** Where `mark` ends in `text`, or, when it is not whole, where it will end at the earliest. */
function endOf(mark: string, text: string, from: number): number {
  const at = text.indexOf(mark, from);
  if (at !== -1) return at + mark.length;
  let begun = mark.length - 1;
  while (!text.endsWith(mark.slice(0, begun))) begun -= 1;
  return text.length + mark.length - begun;
}

// RFC 9110 5.6.3: white space is a space or a tab. `trim` would remove other characters, too.
const trimmed = (value: string) => value.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '');

/** The members of a list in lower case (RFC 9110 5.6.1). */
export const listOf = (value = '') => value.split(',').map((member) => trimmed(member).toLowerCase());

export type Chunks = {
  /** The sizes with their extensions. */
  readonly sizeLines: readonly string[];
  readonly data: readonly string[];
  /** Field lines, and an empty line. */
  readonly trailers: string;
};

/** The parts of chunked content, as far as they can be told. */
export function chunksOf(content: string): Chunks {
  const sizeLines: string[] = [];
  const data: string[] = [];
  let at = 0;
  for (let size = 1; size > 0 && at < content.length;) {
    const lineEnd = endOf('\r\n', content, at);
    const line = content.slice(at, lineEnd).replace(/\r\n$/, '');
    sizeLines.push(line);
    size = Number.parseInt(line, 16);
    if (size > 0) data.push(content.slice(lineEnd, lineEnd + size));
    at = size > 0 ? lineEnd + size + 2 : lineEnd;
  }
  return { sizeLines, data, trailers: content.slice(at) };
}

/** The content that these parts make. */
export function joinChunks({ sizeLines, data, trailers }: Chunks): string {
  return sizeLines.map((line, i) => `${line}\r\n${i < data.length ? `${data[i]}\r\n` : ''}`).join('') + trailers;
}
