import { connect, type Socket } from 'node:net';
import { loadRequests, startServer, type BenchServer } from './load.js';
import { median, type Measure } from './measure.js';
import { bytesOf, COLLECTION, configMap, OBJECTS, subject, verbs, type BenchRequest, type Verb } from './requests.js';

const REQUESTS = 3_000;
const CONNECTIONS = 16;
const ROUNDS = 7;
const WATCHERS = 50;
const CHANGES = 200;

/** CPU time of one request, in microseconds. */
async function cost(server: BenchServer, requests: readonly Buffer[]): Promise<number> {
  const before = await server.cpuUs();
  await loadRequests(server.port, requests, CONNECTIONS);
  return ((await server.cpuUs()) - before) / requests.length;
}

/** Sends one request and returns the body of the answer. */
async function answerOf({ port }: BenchServer, { method, path, contentType, body }: BenchRequest): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: 'Bearer bench',
      'user-agent': 'bench/1',
      'accept-encoding': 'identity',
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  return text;
}

/** The path of a request to the bare server: it knows one answer for each verb. */
const rawRequest = (verb: Verb): BenchRequest => ({ ...verb.request(0), path: `/${verb.title.replace(' ', '-')}` });

async function verbMeasures(api: BenchServer, raw: BenchServer): Promise<Measure[]> {
  let next = 0;
  const samples = new Map(verbs.map((verb) => [verb, { api: [] as number[], raw: [] as number[] }]));
  for (const verb of verbs) {
    const request = verb.request(next);
    const { method, path } = rawRequest(verb);
    raw.process.send({ answer: { method, path, text: await answerOf(api, request), status: verb.status } });
  }
  next += 1;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const verb of verbs) {
      const requests = Array.from({ length: REQUESTS }, (_, index) => bytesOf(verb.request(next + index)));
      const sample = samples.get(verb);
      const ofApi = await cost(api, requests);
      const { method, path } = rawRequest(verb);
      const ofRaw = await cost(
        raw,
        requests.map((_, index) => bytesOf({ ...verb.request(next + index), method, path })),
      );
      if (round === 0) continue;
      sample?.api.push(ofApi);
      sample?.raw.push(ofRaw);
    }
    next += REQUESTS;
  }
  return verbs.map((verb) => {
    const { api: ofApi, raw: ofRaw } = samples.get(verb) ?? { api: [], raw: [] };
    return {
      name: `HTTP ${verb.title}, CPU over the raw floor`,
      value: median(ofApi) / median(ofRaw),
      unit: '×',
      target: { sense: '<=', value: verb.target },
      detail: `server CPU ${median(ofApi).toFixed(0)} µs against ${median(ofRaw).toFixed(0)} µs`,
    };
  });
}

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
  request: (index: number) => BenchRequest,
  delivered?: (count: number) => Promise<void>,
): Promise<number> {
  const before = await server.cpuUs();
  const all = delivered?.(CHANGES);
  await loadRequests(
    server.port,
    Array.from({ length: CHANGES }, (_, index) => bytesOf(request(index))),
    1,
  );
  await all;
  return ((await server.cpuUs()) - before) / CHANGES;
}

async function eventMeasure(api: BenchServer, raw: BenchServer): Promise<Measure> {
  let next = 0;
  const path = `${COLLECTION}/${subject(7)}`;
  const put = (): BenchRequest => ({ method: 'PUT', path, body: configMap(subject(7), (next += 1) + 1_000_000) });
  const text = await answerOf(api, put());
  const frame = `{"type":"MODIFIED","object":${text.trimEnd()}}\n`;
  const rawPath = '/change';
  const rawPut = (): BenchRequest => ({ ...put(), path: rawPath });
  raw.process.send({ answer: { method: 'PUT', path: rawPath, text, frame } });
  const alone = { api: [] as number[], raw: [] as number[] };
  const watched = { api: [] as number[], raw: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    alone.api.push(await costOfChanges(api, put));
    alone.raw.push(await costOfChanges(raw, rawPut));
  }
  const watch = `${COLLECTION}?watch=true&fieldSelector=metadata.name%3D${subject(7)}&resourceVersion=${(JSON.parse(await answerOf(api, { method: 'GET', path })) as { metadata: { resourceVersion: string } }).metadata.resourceVersion}`;
  const ofApi = await openWatches(api, watch);
  const ofRaw = await openWatches(raw, '/events?watch=true');
  for (let round = 0; round <= ROUNDS; round += 1) {
    watched.api.push(await costOfChanges(api, put, ofApi));
    watched.raw.push(await costOfChanges(raw, rawPut, ofRaw));
  }
  const each = (side: 'api' | 'raw'): number =>
    (median(watched[side].slice(1)) - median(alone[side].slice(1))) / WATCHERS;
  return {
    name: 'HTTP watch event delivered, CPU over the raw floor',
    value: each('api') / each('raw'),
    unit: '×',
    target: { sense: '<=', value: 1.5 },
    detail: `${WATCHERS} watchers; server CPU ${each('api').toFixed(1)} µs against ${each('raw').toFixed(1)} µs`,
  };
}

/** Writes over HTTP, against a bare server that reads the same requests and answers the same bytes. */
export async function writes(): Promise<Measure[]> {
  const api = await startServer('api.mjs', String(OBJECTS));
  const raw = await startServer('raw.mjs');
  try {
    return [...(await verbMeasures(api, raw)), await eventMeasure(api, raw)];
  } finally {
    api.stop();
    raw.stop();
  }
}
