/** Watches over HTTP, and what a change of the watched object costs. */
import { connect, type Socket } from 'node:net';
import { loadRequests, type BenchServer } from './load.js';
import { median } from './measure.js';
import { bytesOf, COLLECTION, configMap, subject, type BenchRequest } from './requests.js';

/** Number of watchers. */
export const WATCHERS = 50;

/** Opens watches, and returns a function that resolves when each of them has received `count` more events. */
async function openWatches({ port }: BenchServer, path: string): Promise<(count: number) => Promise<void>> {
  let received = 0;
  let wanted = 0;
  let done = (): void => undefined;
  const opened = Array.from({ length: WATCHERS }, () => {
    const socket: Socket = connect(port, '127.0.0.1');
    socket.write(bytesOf({ method: 'GET', path }));
    let open = false;
    return new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        if (!open) {
          open = true;
          resolve();
        }
        // Every event ends with a line feed of its own; those of the framing follow a carriage return.
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1))
          if (chunk[at - 1] === 125) received += 1;
        if (received >= wanted) done();
      });
    });
  });
  await Promise.all(opened);
  return (count) => {
    wanted = received + count * WATCHERS;
    return new Promise((resolve) => (done = resolve));
  };
}

/** CPU time of a change, in microseconds. */
async function costOfChanges(
  server: BenchServer,
  changes: number,
  request: () => BenchRequest,
  delivered?: (count: number) => Promise<void>,
): Promise<number> {
  const before = await server.cpuUs();
  const all = delivered?.(changes);
  await loadRequests(
    server.port,
    Array.from({ length: changes }, () => bytesOf(request())),
    1,
  );
  await all;
  return ((await server.cpuUs()) - before) / changes;
}

/** How an event is measured. */
export interface EventRounds {
  readonly rounds: number;
  /** Changes in a round. */
  readonly changes: number;
  /** Sends one request to the API server and returns the body of the answer. */
  ask(request: BenchRequest): Promise<string>;
}

/** CPU time to deliver an event to one watcher, in microseconds: of the API server, and of the bare one. */
export async function costOfEvent(
  api: BenchServer,
  raw: BenchServer,
  { rounds, changes, ask }: EventRounds,
): Promise<{ readonly api: number; readonly raw: number }> {
  let next = 0;
  const path = `${COLLECTION}/${subject(7)}`;
  const put = (): BenchRequest => ({ method: 'PUT', path, body: configMap(subject(7), (next += 1) + 1_000_000) });
  const text = await ask(put());
  const rawPut = (): BenchRequest => ({ ...put(), path: '/change' });
  const frame = `{"type":"MODIFIED","object":${text.trimEnd()}}\n`;
  raw.process.send({ answer: { method: 'PUT', path: '/change', text, frame } });
  const alone = { api: [] as number[], raw: [] as number[] };
  const watched = { api: [] as number[], raw: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    alone.api.push(await costOfChanges(api, changes, put));
    alone.raw.push(await costOfChanges(raw, changes, rawPut));
  }
  const { resourceVersion } = (
    JSON.parse(await ask({ method: 'GET', path })) as { metadata: { resourceVersion: string } }
  ).metadata;
  const selected = `fieldSelector=metadata.name%3D${subject(7)}&resourceVersion=${resourceVersion}`;
  const ofApi = await openWatches(api, `${COLLECTION}?watch=true&${selected}`);
  const ofRaw = await openWatches(raw, '/events?watch=true');
  for (let round = 0; round <= rounds; round += 1) {
    watched.api.push(await costOfChanges(api, changes, put, ofApi));
    watched.raw.push(await costOfChanges(raw, changes, rawPut, ofRaw));
  }
  const each = (side: 'api' | 'raw'): number =>
    (median(watched[side].slice(1)) - median(alone[side].slice(1))) / WATCHERS;
  return { api: each('api'), raw: each('raw') };
}
