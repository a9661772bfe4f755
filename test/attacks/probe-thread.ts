/**
 * The probe: a thread that sends one short request after another as another user, so that neither the server nor the
 * attackers delay its clock.
 *
 * @module
 */
import { Agent, request as httpRequest } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Probed, ProbeOptions } from './probe.js';
import { threadTime } from './thread-time.js';

const PAUSE_MS = 2;
/** Requests on one connection. */
const PER_CONNECTION = 25;

const { url, token, pid, path } = workerData as ProbeOptions;
const ofServer = threadTime(String(pid));
const own = threadTime('thread-self');

interface Begun {
  readonly at: number;
  readonly serverDelay: number;
  readonly serverCpu: number;
  readonly ownDelay: number;
}

let agent = new Agent({ keepAlive: true, maxSockets: 1 });
let begun: Begun | undefined;
let probed: Probed = empty();
let sent = 0;

function empty(): Probed {
  return { count: 0, waitMs: 0, wallMs: 0, cpuMs: 0, refused: {} };
}

/** The time since the request began, without that in which the machine ran others instead of the server or the probe. */
function waited({ at, serverDelay, serverCpu, ownDelay }: Begun): Pick<Probed, 'waitMs' | 'wallMs' | 'cpuMs'> {
  const wallMs = performance.now() - at;
  const server = ofServer();
  const delayed = server.delayedMs - serverDelay + own().delayedMs - ownDelay;
  return { wallMs, cpuMs: server.cpuMs - serverCpu, waitMs: Math.max(0, wallMs - delayed) };
}

function count(now: Begun, status: number): void {
  const wait = waited(now);
  const isGood = status === 200 || status === 201;
  probed = {
    ...(wait.waitMs > probed.waitMs ? { ...probed, ...wait } : probed),
    count: probed.count + 1,
    refused: isGood ? probed.refused : { ...probed.refused, [status]: (probed.refused[status] ?? 0) + 1 },
  };
}

/** Mostly reads; some writes and reviews. */
function next(): { method: string; path: string; body?: string; type?: string } {
  sent += 1;
  if (sent % 8 === 0)
    return { method: 'PATCH', path, body: `{"data":{"a":"${sent}"}}`, type: 'application/merge-patch+json' };
  if (sent % 16 === 1)
    return {
      ...{ method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', type: 'application/json' },
      body: '{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}',
    };
  return { method: 'GET', path };
}

function ask(): Promise<number> {
  const { method, path: target, body, type } = next();
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, ...(type === undefined ? {} : { 'content-type': type }) };
    const request = httpRequest(url + target, { agent, method, headers }, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
      response.resume();
    });
    request.on('error', () => resolve(0));
    request.end(body);
  });
}

async function run(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (sent % PER_CONNECTION === 0) {
      agent.destroy();
      agent = new Agent({ keepAlive: true, maxSockets: 1 });
    }
    const server = ofServer();
    const now: Begun = {
      ...{ at: performance.now(), serverDelay: server.delayedMs, serverCpu: server.cpuMs, ownDelay: own().delayedMs },
    };
    begun = now;
    const status = await ask();
    begun = undefined;
    count(now, status);
  }
}

/** Each message asks for what was seen since the last one, with the request that is still unanswered. */
parentPort?.on('message', () => {
  if (begun !== undefined) {
    const wait = waited(begun);
    if (wait.waitMs > probed.waitMs) probed = { ...probed, ...wait };
  }
  parentPort?.postMessage(probed);
  probed = empty();
});
void run();
