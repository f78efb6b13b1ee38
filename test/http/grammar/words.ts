// The words of the H-method (Dorofeeva, El-Fakih, Yevtushenko 2005): each reader that behaves like an automaton with few states more than
// that of the rule, and takes all bytes of a class for the same, answers at least one of them differently, unless it accepts the same.
import type { Automaton } from './automaton.ts';

/** Called with a word, one character for each byte, and whether the rule accepts it. */
type Visit = (word: string, isAccepted: boolean) => void;

/** A text, and which states accept it. */
type Text = { readonly text: string; readonly accepts: readonly boolean[] };

type Step = (state: number, byte: number) => number;

/**
 * Visits the words for `extra` states more: a word that leads to a state; then up to `extra` + 1 letters, which represent the classes of
 * bytes that the rule distinguishes; then texts that distinguish the state reached from all others. If more letters may follow, these
 * are also the texts for the states that they lead to: the method needs that. Every other byte is tried after the word for each state, and
 * after up to `extra` - 1 letters more, with texts that tell whether a reader ignores the byte, or takes it for one of another class.
 */
export function visitWords({ size, next, isAccepting }: Automaton, extra: number, visit: Visit): void {
  const step: Step = (state, byte) => next[256 * state + byte] ?? 0;
  const states = Array.from({ length: size }, (_, state) => state);
  const classes = classesOfBytes(states, step);
  const letters = classes.map(([letter]) => letter);
  const words = shortestWords(letters, step);
  const texts = differences(states, isAccepting, letters, step);
  const near = states.map((state) => [state, ...letters.map((letter) => step(state, letter))]);
  const identifiers = [states.map((state) => identify(state, states, texts))]; // by how many letters may follow, and by the state
  for (const longer of identifiers) { // grows
    const union = (those: readonly number[]) => Array.from(new Set(those.flatMap((state) => longer[state] ?? [])));
    if (identifiers.length <= extra) identifiers.push(near.map(union));
  }

  function visitAll(word: string, state: number, endings: readonly Text[] = []): void {
    for (const { text, accepts } of endings) visit(word + text, accepts[state] === true);
  }

  function addLetters(word: string, state: number, most: number): void {
    for (const letter of letters) {
      const longer = word + String.fromCharCode(letter), to = step(state, letter);
      if (words.has(longer)) continue; // it has its own turn
      visitAll(longer, to, identifiers[most - 1]?.[to]);
      if (most > 1) addLetters(longer, to, most - 1);
      if (most > 2) addOtherBytes(longer, to);
    }
  }

  function addOtherBytes(word: string, state: number): void {
    for (const [letter, ...others] of classes) {
      const to = step(state, letter);
      const endings = identifiers[0]?.[to]?.filter(({ text, accepts }) =>
        text === '' || near[state]?.some((other) => accepts[other] !== accepts[to]));
      for (const byte of others) visitAll(word + String.fromCharCode(byte), to, endings);
    }
  }

  for (const [word, state] of words) {
    visitAll(word, state, texts);
    addLetters(word, state, extra + 1);
    addOtherBytes(word, state);
  }
}

// The bytes of each class, its representative first: the first byte from SP on, so a visible character rather than a control, if there is
// one.
function classesOfBytes(states: readonly number[], step: Step): readonly (readonly [number, ...number[]])[] {
  const classes = new Map<string, [number, ...number[]]>();
  for (let i = 0; i < 256; i += 1) {
    const byte = (32 + i) % 256;
    const key = states.map((state) => step(state, byte)).join();
    const found = classes.get(key);
    if (found === undefined) classes.set(key, [byte]);
    else found.push(byte);
  }
  return Array.from(classes.values());
}

// For each state, a word that leads to it.
function shortestWords(letters: readonly number[], step: Step): ReadonlyMap<string, number> {
  const words = new Map([['', 0]]), reached = new Set([0]);
  for (const [word, state] of words) { // grows
    for (const letter of letters) {
      const to = step(state, letter);
      if (!reached.has(to)) words.set(word + String.fromCharCode(letter), to);
      reached.add(to);
    }
  }
  return words;
}

// Texts, at least one of which tells any two states apart.
function differences(states: readonly number[], isAccepting: readonly boolean[], letters: readonly number[], step: Step): readonly Text[] {
  const texts: Text[] = [{ text: '', accepts: isAccepting }];
  for (const one of states) {
    for (const other of states.slice(0, one)) {
      if (texts.some(({ accepts }) => accepts[one] !== accepts[other])) continue;
      const text = difference(one, other);
      const ends = states.map((from) => Array.from(text).reduce((at, letter) => step(at, letter.charCodeAt(0)), from));
      texts.push({ text, accepts: ends.map((end) => isAccepting[end] === true) });
    }
  }
  return texts;

  function difference(one: number, other: number): string {
    const words = new Map([[one * states.length + other, '']]);
    for (const [pair, word] of words) { // grows
      const [a, b] = [Math.floor(pair / states.length), pair % states.length];
      if (isAccepting[a] !== isAccepting[b]) return word;
      for (const letter of letters) {
        const to = step(a, letter) * states.length + step(b, letter);
        if (!words.has(to)) words.set(to, word + String.fromCharCode(letter));
      }
    }
    throw new Error(`The states ${one} and ${other} are the same.`);
  }
}

// The first text, which shows whether the state accepts; then, until it is told from all the others, the one that tells it from most.
function identify(state: number, states: readonly number[], texts: readonly Text[]): readonly Text[] {
  const alike = ({ accepts }: Text, left: readonly number[]) => left.filter((other) => accepts[other] === accepts[state]);
  const chosen = texts.slice(0, 1);
  let left = chosen.reduce((all, text) => alike(text, all), states.filter((other) => other !== state));
  while (left.length > 0) {
    const best = texts.reduce((a, b) => (alike(b, left).length < alike(a, left).length ? b : a));
    chosen.push(best);
    left = alike(best, left);
  }
  return chosen;
}
