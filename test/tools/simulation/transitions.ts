// Which changes of state the connections of a run have seen, with the function that has entered the state, and in which situations.
import type { Change } from './load-copy.ts';

/** `idle --> receiving: awaitMore`, as in the diagram of src/README.md. */
export type Transition = string;

/** How many lines of a stack trace say which function has entered a state, and whether in a turn. */
export const TRACE_LENGTH = 8;

const OBSERVER = Symbol.for('the observer of transitions');

/** Makes the service tell each change of state. */
export const OBSERVED: Change = {
  file: 'connection',
  text: 'this.#state = state;',
  replacement: "globalThis[Symbol.for('the observer of transitions')](this.#state, state, new Error(), [this.#intake?.isHolding, this.#record !== undefined, this.#service.isDraining()]); this.#state = state;",
};

let isStopped = false;

/** The sequence that is played has stopped the service, or begins. */
export function setStopped(stopped: boolean): void {
  isStopped = stopped;
}

/** Notes from now on what the connections of a service do that has been loaded with `OBSERVED`. */
export function observeTransitions() {
  const transitions = new Set<Transition>();
  const combinations = new Set<string>();
  Object.assign(globalThis, { [OBSERVER]: (from: string, to: string, { stack = '' }: Error, situation: readonly boolean[]) => {
    if (from === to) return;
    const [, by] = Array.from(stack.matchAll(/at (?:\w+\.)?#?(\w+) \(/g), ([, name]) => name); // behind `enter`
    transitions.add(`${from} --> ${to}: ${by}`);
    combinations.add([from, to, by, stack.includes('Turns'), isStopped, ...situation].join());
  } });
  return { transitions, combinations };
}
