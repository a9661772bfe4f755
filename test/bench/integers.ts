import { jsonText, jsonValue } from '../../src/foundation/json/json-text.js';
import { interleaved, type Measure } from './measure.js';
import { benchConfigMap } from './object.mjs';
import { benchPod } from './pod.js';

const TIMES = 20_000;
const ROUNDS = 9;

/** An object as it is stored, with its text. */
interface Sample {
  readonly name: string;
  readonly text: string;
}

const stored = (object: object): string =>
  JSON.stringify({ ...object, status: { observedGeneration: 12, replicas: 3 } });

/** Both have no integer beyond 2^53: this is what exact integers cost those who have none. */
const SAMPLES: readonly Sample[] = [
  { name: 'a ConfigMap of 1 KiB', text: stored(benchConfigMap('object')) },
  { name: 'a pod', text: stored(benchPod('object', 1)) },
];

const repeated = (work: () => unknown) => (): void => {
  for (let index = 0; index < TIMES; index += 1) work();
};

/** The reading and writing of texts with exact integers, over the functions of the host that round them. */
export async function integers(): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const { name, text } of SAMPLES) {
    const value: unknown = JSON.parse(text);
    const costs = await interleaved(ROUNDS, {
      parsed: repeated(() => JSON.parse(text) as unknown),
      read: repeated(() => jsonValue(text)),
      stringified: repeated(() => JSON.stringify(value)),
      written: repeated(() => jsonText(value)),
    });
    const each = (us: number): string => (us / TIMES).toFixed(2);
    measures.push(
      {
        name: `integers: reading ${name} that has none beyond 2^53, over JSON.parse`,
        value: costs.read.cpuUs / costs.parsed.cpuUs,
        unit: '×',
        target: { sense: '<=', value: 1.3 },
        detail: `${each(costs.read.cpuUs)} against ${each(costs.parsed.cpuUs)} µs`,
      },
      {
        name: `integers: writing ${name} that has none, over JSON.stringify`,
        value: costs.written.cpuUs / costs.stringified.cpuUs,
        unit: '×',
        target: { sense: '<=', value: 1.3 },
        detail: `${each(costs.written.cpuUs)} against ${each(costs.stringified.cpuUs)} µs`,
      },
    );
  }
  return measures;
}
