import { load, startServer, type BenchServer } from './load.js';
import { median, type Measure } from './measure.js';

interface Sample {
  readonly wallUs: number;
  readonly cpuUs: number;
}

async function sample(server: BenchServer, path: string, requests: number, connections: number): Promise<Sample> {
  const cpu = await server.cpuUs();
  const start = performance.now();
  await load(server.port, path, requests, connections);
  const wallUs = (performance.now() - start) * 1000;
  return { wallUs: wallUs / requests, cpuUs: ((await server.cpuUs()) - cpu) / requests };
}

async function compare(
  path: string,
  objects: number,
  requests: number,
  connections: number,
  rounds: number,
): Promise<{ api: Sample; raw: Sample; bytes: number }> {
  const api = await startServer('api.mjs', String(objects));
  const raw = await startServer('raw.mjs');
  try {
    const text = await (
      await fetch(`http://127.0.0.1:${api.port}${path}`, {
        headers: {
          authorization: 'Bearer bench',
          accept: 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'bench/1',
        },
      })
    ).text();
    raw.process.send({ answer: { path, text } });
    const samples: { api: Sample; raw: Sample }[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const pair = {
        api: await sample(api, path, requests, connections),
        raw: await sample(raw, path, requests, connections),
      };
      if (round > 0) samples.push(pair);
    }
    const middle = (side: 'api' | 'raw'): Sample => ({
      wallUs: median(samples.map((pair) => pair[side].wallUs)),
      cpuUs: median(samples.map((pair) => pair[side].cpuUs)),
    });
    return { api: middle('api'), raw: middle('raw'), bytes: Buffer.byteLength(text) };
  } finally {
    api.stop();
    raw.stop();
  }
}

/** GET and LIST over HTTP, against a bare server that answers the same bytes. */
export async function http(): Promise<Measure[]> {
  const get = await compare('/api/v1/namespaces/default/configmaps/object-000007', 100, 8_000, 32, 7);
  const list = await compare('/api/v1/namespaces/default/configmaps', 10_000, 12, 2, 7);
  const detail = (pair: { api: Sample; raw: Sample; bytes: number }): string =>
    `${pair.bytes} bytes; server CPU ${pair.api.cpuUs.toFixed(0)} µs against ${pair.raw.cpuUs.toFixed(0)} µs, wall ${pair.api.wallUs.toFixed(0)} against ${pair.raw.wallUs.toFixed(0)} µs`;
  return [
    {
      name: 'HTTP GET throughput over the raw floor',
      value: get.raw.wallUs / get.api.wallUs,
      unit: '×',
      target: { sense: '>=', value: 0.6 },
      detail: detail(get),
    },
    {
      name: 'HTTP LIST of 10,000, bytes a second over the raw floor',
      value: list.raw.wallUs / list.api.wallUs,
      unit: '×',
      target: { sense: '>=', value: 0.7 },
      detail: detail(list),
    },
  ];
}
