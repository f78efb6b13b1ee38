// Turns in which another client always waits, so that whatever arrives must wait, too.
import { TURN_COST, Turns } from '../../src/server/turns.ts';

/** From now on, each turn is used up by another client, until the returned function is called. Others still get one piece in every second turn. */
export function keepBusy(turns: Turns): () => void {
  let isBusy = true;
  turns.wait('another client', function again() {
    turns.spend(TURN_COST);
    if (isBusy) turns.wait('another client', again);
  });
  return () => { isBusy = false; };
}
