// The entry point. Signals are handled before the rest is loaded: otherwise, SIGHUP would end the process meanwhile.
import { handleSignals } from './host/signals.ts';

const signals = handleSignals();
const { start } = await import('./start.ts');
await start(signals);
