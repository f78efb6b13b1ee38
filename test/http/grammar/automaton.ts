// Compiles a rule of an ABNF grammar (RFC 5234) to the smallest automaton over bytes that accepts the same texts: by derivatives
// (Brzozowski 1964), and by merging the states that accept the same continuations (Moore 1956).

export type Automaton = {
  /** The number of states. The first one is 0. */
  readonly size: number;
  /** The state after a state and a byte: `next[256 * state + byte]`. */
  readonly next: Uint16Array;
  readonly isAccepting: readonly boolean[];
};

/** What a language has after a byte is another one. Languages that are written alike are the same object. */
type Language = { readonly id: number; readonly hasEmpty: boolean; readonly after: (byte: number) => Language };

const known = new Map<string, Language>();

function language(key: string, hasEmpty: boolean, derive: (byte: number) => Language): Language {
  const found = known.get(key);
  if (found !== undefined) return found;
  const afters: Language[] = [];
  const made = { id: known.size, hasEmpty, after: (byte: number) => (afters[byte] ??= derive(byte)) };
  known.set(key, made);
  return made;
}

const NOTHING = language('nothing', false, () => NOTHING);
const EMPTY = language('empty', true, () => NOTHING);

// Where the ranges of bytes begin that no rule divides: what follows is the same for all bytes of one.
const starts = new Set([0]);

function range(from: number, to: number): Language {
  starts.add(from).add(to + 1);
  return language(`${from}-${to}`, false, (byte) => (byte >= from && byte <= to ? EMPTY : NOTHING));
}

function sequence(a: Language, b: Language): Language {
  if (a === NOTHING || b === NOTHING) return NOTHING;
  if (a === EMPTY || b === EMPTY) return a === EMPTY ? b : a;
  return language(`${a.id} ${b.id}`, a.hasEmpty && b.hasEmpty, (byte) =>
    either(sequence(a.after(byte), b), ...(a.hasEmpty ? [b.after(byte)] : [])));
}

const members = new Map<Language, readonly Language[]>();

function either(...languages: readonly Language[]): Language {
  const all = new Set(languages.flatMap((each) => members.get(each) ?? [each]).filter((each) => each !== NOTHING));
  const sorted = Array.from(all).sort((a, b) => a.id - b.id);
  if (sorted.length < 2) return sorted[0] ?? NOTHING;
  const made = language(sorted.map(({ id }) => id).join('/'), sorted.some(({ hasEmpty }) => hasEmpty), (byte) =>
    either(...sorted.map((each) => each.after(byte))));
  members.set(made, sorted);
  return made;
}

function repeated(a: Language, least: number, most: number): Language {
  if (most === 0) return EMPTY;
  return language(`${least}*${most} ${a.id}`, least === 0 || a.hasEmpty, (byte) =>
    sequence(a.after(byte), repeated(a, Math.max(0, least - 1), most - 1)));
}

const except = (a: Language, b: Language): Language => (a === NOTHING ? NOTHING
  : language(`${a.id} except ${b.id}`, a.hasEmpty && !b.hasEmpty, (byte) => except(a.after(byte), b.after(byte))));

const literal = (text: string, isCaseSensitive: boolean) => Array.from(text).reduce((before, character) => {
  const cases = isCaseSensitive ? [character] : [character.toLowerCase(), character.toUpperCase()];
  return sequence(before, either(...cases.map((each) => range(each.charCodeAt(0), each.charCodeAt(0)))));
}, EMPTY);

const TOKENS = /%s"[^"]*"|"[^"]*"|%x[\dA-F]+(?:-[\dA-F]+)?|\d*\*\d*|\d+|[a-z][a-z\d-]*|[()[\]/<>]/gi;

/** A function that compiles the rule with this name in `grammar`. */
export function compiler(grammar: string): (name: string) => Automaton {
  const rules = new Map(grammar.replace(/^ *;.*\n/gm, '').replace(/\n +/g, ' ').split('\n').filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1)]));
  const compiled = new Map<string, Language>();

  function rule(name: string): Language {
    const definition = rules.get(name);
    if (definition === undefined) throw new Error(`The grammar has no rule ${JSON.stringify(name)}.`);
    const made = compiled.get(name) ?? parse(definition);
    compiled.set(name, made);
    return made;
  }

  function parse(definition: string): Language {
    const tokens = definition.match(TOKENS) ?? [];
    let at = 0;
    function alternation(): Language {
      const alternatives = [concatenation()];
      while (tokens[at] === '/') {
        at += 1;
        alternatives.push(concatenation());
      }
      return either(...alternatives);
    }
    function concatenation(): Language {
      let made = EMPTY;
      while (at < tokens.length && !['/', ')', ']', '>', 'except'].includes(tokens[at] ?? '')) made = sequence(made, repetition());
      return made;
    }
    function repetition(): Language {
      const [, least = '', star, most = ''] = /^(\d*)(\*)?(\d*)$/.exec(tokens[at] ?? '') ?? [];
      if (least === '' && star === undefined) return element();
      at += 1;
      return repeated(element(), Number(least), star === undefined ? Number(least) : most === '' ? Infinity : Number(most));
    }
    function element(): Language {
      const token = tokens[at++] ?? '';
      if (token === '(' || token === '[' || token === '<') {
        const inner = alternation();
        const excluded = tokens[at++] === 'except' ? alternation() : undefined;
        if (excluded !== undefined) at += 1;
        return excluded !== undefined ? except(inner, excluded) : token === '[' ? either(inner, EMPTY) : inner;
      }
      if (token.includes('"')) return literal(token.slice(token.indexOf('"') + 1, -1), token.startsWith('%s'));
      if (!token.startsWith('%x')) return rule(token);
      const [from = 0, to = from] = token.slice(2).split('-').map((digits) => Number.parseInt(digits, 16));
      return range(from, to);
    }
    return alternation();
  }
  return (name) => smallest(rule(name));
}

function smallest(start: Language): Automaton {
  const firsts = Array.from(starts).filter((byte) => byte < 256).sort((a, b) => a - b);
  const states = [start], numbers = new Map([[start, 0]]), after: (readonly number[])[] = []; // the states after each state
  for (const state of states) { // grows
    after.push(firsts.map((byte) => {
      const next = state.after(byte);
      if (!numbers.has(next)) numbers.set(next, states.push(next) - 1);
      return numbers.get(next) ?? 0;
    }));
  }
  // States are in one group until a byte leads them to two groups. Groups are numbered in the order of their first states.
  let groups = states.map(({ hasEmpty }) => Number(hasEmpty)), count = 0;
  for (let size = -1; size !== count;) {
    size = count;
    const found = new Map<string, number>();
    groups = groups.map((group, state) => {
      const key = [group, ...(after[state] ?? []).map((to) => groups[to])].join();
      if (!found.has(key)) found.set(key, found.size);
      return found.get(key) ?? 0;
    });
    count = found.size;
  }
  const one = Array.from({ length: count }, (_, group) => groups.indexOf(group)); // a state of each group
  const ranges = Array.from({ length: 256 }, (_, byte) => firsts.findLastIndex((first) => first <= byte));
  return {
    size: count,
    next: Uint16Array.from(one.flatMap((state) => ranges.map((at) => groups[after[state]?.[at] ?? 0] ?? 0))),
    isAccepting: one.map((state) => states[state]?.hasEmpty === true),
  };
}
