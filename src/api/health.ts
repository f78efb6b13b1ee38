// GET /health: the word that load balancers and orchestrators ask for.
import { contentReply, type Endpoint } from '../http/reply.ts';

const healthy = contentReply(200, 'text/plain', 'Healthy');

export const health: Endpoint = () => healthy;
