// The W-method (Chow 1978), with an identifier for each state (Luo, Petrenko, Bochmann 1994): words such that each reader that behaves
// like an automaton with few states more than the specification answers at least one of them differently, unless it accepts the same.
import type { Automaton } from './automaton.ts';

/** Called with a word, one character for each byte, and whether the specification accepts it. */
export type Visit = (word: string, isAccepted: boolean) => void;

/** Which part of the identifiers is tried after a byte that does not represent its class: at a transition of the rule, and beyond. */
export type Share = { readonly near: number; readonly far: number };

const WHITE_SPACE = [9, 32]; // each is a representative of its own: what readers forgive is often one of the two
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Visits the words for `extra` states more. A word leads to a state; then up to `extra` + 1 letters follow, of which at most one is any
 * byte, and the others represent the classes of bytes that the specification distinguishes; then an identifier of the state that this
 * leads to: texts that tell it from every other state.
 */
export function visitWords(automaton: Automaton, extra: number, { near, far }: Share, visit: Visit): void {
  const { size, next } = automaton;
  const states = Array.from({ length: size }, (_, state) => state);
  const classes = new Map<string, number>();
  for (let byte = 255; byte >= 0; byte -= 1) classes.set(states.map((state) => next[256 * state + byte]).join(), byte);
  const letters = Array.from(new Set([...classes.values(), ...WHITE_SPACE])).sort((a, b) => a - b);
  const { texts, accepts, identifiers } = identify(automaton, letters);
  const characters = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));
  const isLetter = characters.map((_, byte) => letters.includes(byte));

  let turn = 0;
  function go(word: string, state: number, length: number, mayBeAny: boolean): void {
    const share = mayBeAny ? 1 : length === 1 ? near : far;
    for (const text of identifiers[state] ?? []) {
      turn = (turn + GOLDEN) % 1; // spreads those that are tried evenly
      if (turn < share) visit(word + texts[text], accepts[text]?.[state] === true);
    }
    if (length > extra) return;
    for (const byte of mayBeAny ? characters.keys() : letters) {
      go(word + characters[byte], next[256 * state + byte] ?? 0, length + 1, mayBeAny && isLetter[byte] === true);
    }
  }
  for (const [state, word] of shortestWords(automaton, letters)) go(word, state, 0, true);
}

function shortestWords({ next }: Automaton, letters: readonly number[]): Map<number, string> {
  const words = new Map([[0, '']]);
  for (const [state, word] of words) { // grows
    for (const letter of letters) {
      const to = next[256 * state + letter] ?? 0;
      if (!words.has(to)) words.set(to, word + String.fromCharCode(letter));
    }
  }
  return words;
}

// For each two states, the first of `texts` that only one of them accepts belongs to the identifiers of both. `accepts`: by which state.
function identify({ size, next, isAccepting }: Automaton, letters: readonly number[]) {
  const texts = [''], accepts = [isAccepting];
  const identifiers = Array.from({ length: size }, () => new Set<number>([0]));
  const run = (from: number, text: string) => Array.from(text).reduce((at, letter) => next[256 * at + letter.charCodeAt(0)] ?? 0, from);
  for (let one = 0; one < size; one += 1) {
    for (let other = 0; other < one; other += 1) {
      let found = accepts.findIndex((by) => by[one] !== by[other]);
      if (found === -1) {
        const text = difference(one, other);
        found = texts.push(text) - 1;
        accepts.push(Array.from({ length: size }, (_, state) => isAccepting[run(state, text)] === true));
      }
      identifiers[one]?.add(found);
      identifiers[other]?.add(found);
    }
  }
  return { texts, accepts, identifiers };

  function difference(one: number, other: number): string {
    const words = new Map([[one * size + other, '']]);
    for (const [pair, word] of words) { // grows
      const [a, b] = [Math.floor(pair / size), pair % size];
      if (isAccepting[a] !== isAccepting[b]) return word;
      for (const letter of letters) {
        const to = (next[256 * a + letter] ?? 0) * size + (next[256 * b + letter] ?? 0);
        if (!words.has(to)) words.set(to, word + String.fromCharCode(letter));
      }
    }
    throw new Error(`The states ${one} and ${other} are the same.`);
  }
}
