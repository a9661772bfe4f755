/** A server in a process of its own, which prints its URL; see `small-heap.test.ts`. */
import { ApiServer } from 'orch-apiserver';
import { listen } from 'orch-apiserver/node';

const server = new ApiServer({
  dialect: 'kubernetes',
  authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
});
// A busy machine may take long to receive the rest of a body that was refused.
const { url } = await listen(server, { timeouts: { linger: 60_000 } });
console.log(url);
