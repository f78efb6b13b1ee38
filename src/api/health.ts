// GET /health tells load balancers and orchestrators whether this process is healthy.
import { contentReply, type Handler } from '../http/reply.ts';

const healthy = contentReply(200, 'text/plain', 'Healthy');
const unhealthy = contentReply(503, 'text/plain', 'Unhealthy');

/** Makes the endpoint. It is unhealthy while `isDraining` returns true, so that requests are sent to other processes. */
export function createHealthEndpoint(isDraining: () => boolean): Handler {
  return () => (isDraining() ? unhealthy : healthy);
}
