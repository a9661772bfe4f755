import { loadRequests, startServer, type BenchServer } from './load.js';
import { median, type Measure } from './measure.js';
import { bytesOf, OBJECTS, verbs, type BenchRequest, type Verb } from './requests.js';
import { costOfEvent, WATCHERS } from './watchers.js';

const REQUESTS = 3_000;
const CONNECTIONS = 16;
const ROUNDS = 7;
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

async function eventMeasure(api: BenchServer, raw: BenchServer): Promise<Measure> {
  const each = await costOfEvent(api, raw, {
    rounds: ROUNDS,
    changes: CHANGES,
    ask: (request) => answerOf(api, request),
  });
  return {
    name: 'HTTP watch event delivered, CPU over the raw floor',
    value: each.api / each.raw,
    unit: '×',
    target: { sense: '<=', value: 1.5 },
    detail: `${WATCHERS} watchers; server CPU ${each.api.toFixed(1)} µs against ${each.raw.toFixed(1)} µs`,
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
