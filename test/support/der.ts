// DER, the binary form of certificates: each value is a tag, the length of its contents, and the contents (ITU-T X.690,
// section 8.1). The contents of a sequence or a set are other values. Section numbers below are those of X.690.

/** A value with this tag. Up to 127 the length is one byte; above, a byte with the number of its bytes precedes it (sections 8.1.3 and 10.1). */
export function value(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length = bigEndian(content.length);
  return Buffer.concat([Buffer.of(tag), content.length < 128 ? length : Buffer.of(0x80 + length.length, ...length), content]);
}

/** A non-negative number in the fewest bytes, the most significant byte first. */
function bigEndian(number: number): Buffer {
  const hex = number.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

/** A non-negative integer. Its first bit is the sign, so a zero byte precedes a first byte of 128 or more (section 8.3). */
export function integer(number: number): Buffer {
  const bytes = bigEndian(number);
  return value(0x02, bytes.readUInt8(0) < 128 ? bytes : Buffer.of(0, ...bytes));
}

/** An object identifier such as `2.5.4.3`: its first two numbers share one, and each number is written in base 128 (section 8.19). */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return value(0x06, Buffer.from([first * 40 + second, ...others].flatMap(base128)));
}

/** The digits of `number` in base 128; all but the last have their highest bit set. */
function base128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(128 + (rest % 128));
  return digits;
}

export const sequence = (...values: readonly Uint8Array[]) => value(0x30, ...values); // section 8.9
export const set = (...values: readonly Uint8Array[]) => value(0x31, ...values); // section 8.11
export const bitString = (bytes: Uint8Array) => value(0x03, Buffer.of(0), bytes); // section 8.6: 0 bits of the last byte are unused
export const octetString = (bytes: Uint8Array) => value(0x04, bytes); // section 8.7
export const utf8String = (text: string) => value(0x0c, Buffer.from(text)); // section 8.23
/** A value inside another one that says which optional field it is (section 8.14). */
export const field = (number: number, inner: Uint8Array) => value(0xa0 + number, inner);
