import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integer, objectIdentifier, octetString } from './der.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('a length is one byte up to 127, and is preceded by the number of its bytes above', () => {
  for (const [length, head] of [[0, '0400'], [127, '047f'], [128, '048180'], [255, '0481ff'], [256, '04820100'], [65536, '0483010000']] as const) {
    assert.equal(hex(octetString(Buffer.alloc(length))), head + '00'.repeat(length));
  }
});

test('an integer has the fewest bytes that leave its first bit 0', () => {
  for (const [number, expected] of [[0, '020100'], [127, '02017f'], [128, '02020080'], [256, '02020100'], [32768, '0203008000']] as const) {
    assert.equal(hex(integer(number)), expected);
  }
});

test('an object identifier shares one number between its first two, in base 128', () => {
  assert.equal(hex(objectIdentifier('2.5.4.3')), '0603550403');
  assert.equal(hex(objectIdentifier('2.999.3')), '0603883703');
  assert.equal(hex(objectIdentifier('1.2.840.113549.1.1.11')), '06092a864886f70d01010b');
});
