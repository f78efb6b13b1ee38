// GET /health: the word that load balancers and orchestrators ask for.
import { contentReply, type Handler } from '../http/reply.ts';

const healthy = contentReply(200, 'text/plain', 'Healthy');
const unhealthy = contentReply(503, 'text/plain', 'Unhealthy');

/** The endpoint: unhealthy from the moment that `isDraining`, so that traffic goes elsewhere. */
export function createHealth(isDraining: () => boolean): Handler {
  return () => (isDraining() ? unhealthy : healthy);
}
