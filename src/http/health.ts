// GET /health says whether load balancers and orchestrators should send requests here.
import { contentReply } from './reply.ts';
import type { Handler } from './request.ts';

const healthy = contentReply(200, 'text/plain', 'Healthy');
const unhealthy = contentReply(503, 'text/plain', 'Unhealthy');

/** Makes the endpoint. While the service drains, requests should go to other processes. */
export const createHealthEndpoint = (isDraining: () => boolean): Handler => () => (isDraining() ? unhealthy : healthy);
