import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameError, nameFrom } from '../../src/api/name.ts';

test('the name is the first one in the query, or World', () => {
  assert.equal(nameFrom(''), 'World');
  assert.equal(nameFrom('a=1'), 'World');
  assert.equal(nameFrom('a=1&name=Ada&name=Grace'), 'Ada');
  assert.equal(nameFrom('name'), '');
  assert.equal(nameFrom('?name=Ada'), 'World');
});

test('a malformed percent sign stays as it is, wherever it stands', () => {
  for (const name of ['%', '%2', '%2z', '%z2', 'a%2zb', '%41%2z', '%zz%']) {
    assert.equal(nameFrom(`name=${name}`), name.replace('%41', 'A'));
    assert.equal(nameFrom(`a=1&name=${name}`), name.replace('%41', 'A'));
  }
});

test('a name of 1 to 80 code points with something to see in it has no error', () => {
  for (const name of ['A', ' A ', 'a'.repeat(80), '😀'.repeat(80), '\0']) assert.equal(nameError(name), undefined);
});

test('each rule has a message of its own, with the length that was sent and those accepted', () => {
  assert.equal(nameError(''), 'The name is empty: 1 to 80 characters are accepted.');
  assert.equal(nameError('a'.repeat(81)), 'The name has 81 characters: 1 to 80 are accepted.');
  assert.equal(nameError('😀'.repeat(81)), 'The name has 81 characters: 1 to 80 are accepted.');
  assert.equal(nameError(' '), 'The name is only white space: at least one other character is needed.');
});
