import { decodeUtf8Lossy } from '../../foundation/index.js';
import { check, equal } from '../assert.js';
import type { Observation } from './echo-observations.js';
import { FLOOD_CHUNKS } from './echo-streams.js';
import type { TransportCase, TransportCaseContext } from './transport-case.js';

/** Number of equal observations in a row that show that pulling has stopped. */
const QUIET_OBSERVATIONS = 25;

/** Cases on streamed bodies. */
export const streamCases = [
  {
    name: 'a stream arrives completely and ends',
    async run({ base, fetch }) {
      for (const count of [0, 1, 2000]) {
        const answer = await fetch(`${base}/lines?count=${count}`);
        const expected = Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');
        check((await answer.text()) === expected, `${count} lines arrived completely`);
      }
    },
  },
  {
    name: 'the first bytes of a stream arrive before its end',
    async run({ base, fetch }) {
      const answer = await fetch(`${base}/gated?id=gate`);
      const reader = readerOf(answer);
      equal(await readText(reader), 'first', 'before the gate is open');
      await (await fetch(`${base}/open?id=gate`)).text();
      let rest = '';
      for (let text = await readText(reader); text !== undefined; text = await readText(reader)) rest += text;
      equal(rest, ' second', 'after the gate is open');
    },
  },
  {
    name: 'a stream whose source fails does not end like a complete one',
    async run({ base, fetch }) {
      const failed = await fetch(`${base}/fail`)
        .then((answer) => answer.text())
        .then(
          () => false,
          () => true,
        );
      check(failed, 'the client saw a failure');
      equal((await fetch(`${base}/text`)).status, 200, 'the next request');
    },
  },
  {
    name: 'the handler learns that the client has aborted',
    async run({ base, fetch }) {
      const controller = new AbortController();
      const answer = await fetch(`${base}/never?id=abort`, { signal: controller.signal });
      const reader = readerOf(answer);
      equal(await readText(reader), 'watching\n', 'first chunk');
      const rest = reader.read().catch(() => undefined);
      controller.abort();
      const seen = (await (await fetch(`${base}/ended?id=abort`)).json()) as Observation;
      equal([seen.aborted, seen.released], [true, true], 'what the handler saw');
      await rest;
    },
  },
  {
    name: 'the handler learns that the client has cancelled the body',
    async run({ base, fetch }) {
      const reader = readerOf(await fetch(`${base}/never?id=cancel`));
      equal(await readText(reader), 'watching\n', 'first chunk');
      await reader.cancel();
      const seen = (await (await fetch(`${base}/ended?id=cancel`)).json()) as Observation;
      equal(seen.released, true, 'the source was released');
    },
  },
  {
    name: 'a slow reader slows the source',
    async run(context) {
      const { base, fetch } = context;
      const reader = readerOf(await fetch(`${base}/flood?id=slow`));
      await reader.read();
      check((await quietPulls(context, 'slow')) < FLOOD_CHUNKS, 'pulling stopped before the end');
      await reader.cancel();
      const seen = (await (await fetch(`${base}/ended?id=slow`)).json()) as Observation;
      equal(seen.released, true, 'the source was released');
    },
  },
] as const satisfies readonly TransportCase[];

type Reader = ReadableStreamDefaultReader<Uint8Array>;

function readerOf(answer: Response): Reader {
  if (answer.body === null) throw new Error('the answer has no body');
  return answer.body.getReader();
}

async function readText(reader: Reader): Promise<string | undefined> {
  const next = await reader.read();
  return next.done ? undefined : decodeUtf8Lossy(next.value);
}

/** Reads the number of pulls until it no longer changes. */
async function quietPulls({ base, fetch }: TransportCaseContext, id: string): Promise<number> {
  let pulls = -1;
  for (let alike = 0; alike < QUIET_OBSERVATIONS;) {
    const seen = (await (await fetch(`${base}/observe?id=${id}`)).json()) as Observation;
    alike = seen.pulls === pulls ? alike + 1 : 0;
    pulls = seen.pulls;
  }
  return pulls;
}
