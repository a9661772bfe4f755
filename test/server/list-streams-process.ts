/**
 * A server with a small heap in a process of its own, filled to its limit, for the proofs that lists in any form do not end
 * it. Prints its URL and the number of objects.
 */
import { ApiError, ApiServer, ConfigMap } from 'orch-apiserver';
import { listen } from 'orch-apiserver/node';

/** Length of the texts of the objects: many short ones, some long ones. */
const LENGTHS = [200, 2_000, 20_000, 400_000];

const tokens = ['prober', ...Array.from({ length: 64 }, (_, index) => `user-${index}`)];
const server = new ApiServer({
  dialect: 'kubernetes',
  authentication: { tokens: tokens.map((token) => ({ token, user: { username: token, groups: ['system:masters'] } })) },
});
const maps = server.client().resource(ConfigMap).namespace('default');
let count = 0;
const isFull = async (): Promise<boolean> => {
  const length = LENGTHS[count % LENGTHS.length] ?? 0;
  try {
    await maps.create({ metadata: { name: `m-${count}` }, data: { text: `a "b"\n${'word '.repeat(length / 5)}` } });
    count += 1;
    return false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
};
while (!(await isFull()));
const { url } = await listen(server, { timeouts: { linger: 60_000 } });
console.log(JSON.stringify({ url, count }));
process.on('message', (message) => {
  if (message === 'memory') process.send?.({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed });
});
