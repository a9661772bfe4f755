/** The events of a watch over the wire, however the network cuts their lines. */
import { expect, test } from 'vitest';
import { connect, type UntypedObject, type WatchEvent } from '../../../src/entries/client.js';

const encoder = new TextEncoder();

/** Watches a server whose response comes in some pieces. @returns the events, and the error that ended them */
async function watched(
  pieces: readonly Uint8Array[],
): Promise<{ events: WatchEvent<UntypedObject>[]; error?: unknown }> {
  const kinds = { kind: 'APIResourceList', resources: [{ name: 'things', kind: 'Thing', namespaced: true }] };
  const fetch = (url: string): Promise<Response> => {
    if (!url.includes('watch=')) return Promise.resolve(Response.json(kinds));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    return Promise.resolve(new Response(body));
  };
  await using client = await connect({ url: 'https://server.example', fetch });
  const events: WatchEvent<UntypedObject>[] = [];
  try {
    for await (const event of client.resource({ apiVersion: 'v1', kind: 'Thing' }).watch()) events.push(event);
    return { events };
  } catch (error) {
    return { events, error };
  }
}

const lineOf = (name: string, text: string): string =>
  `{"type":"ADDED","object":{"apiVersion":"v1","kind":"Thing","metadata":{"name":"${name}"},"text":"${text}","big":9007199254740993}}`;

const eventOf = (name: string, text: string): unknown => ({
  type: 'ADDED',
  object: { apiVersion: 'v1', kind: 'Thing', metadata: { name }, text, big: 9007199254740993n },
});

const namesOf = (events: readonly WatchEvent<UntypedObject>[]): unknown[] =>
  events.map(({ object }) => (object as UntypedObject).metadata.name);

test('are the same wherever lines and characters are cut', async () => {
  const bytes = encoder.encode(`${lineOf('a', 'grün ✓')}\n\n${lineOf('b', '')}\r\n${lineOf('c', '😀')}`);
  const expected = { events: [eventOf('a', 'grün ✓'), eventOf('b', ''), eventOf('c', '😀')] };
  expect(await watched([bytes])).toEqual(expected);
  for (let at = 1; at < bytes.length; at += 1)
    expect(await watched([bytes.slice(0, at), bytes.slice(at)]), `cut at ${at}`).toEqual(expected);
  expect(await watched(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
});

test('may be lines of 10 MB in many pieces', async () => {
  const text = 'ü'.repeat(5 * 1024 * 1024);
  const bytes = encoder.encode(`${lineOf('a', '')}\n${lineOf('long', text)}\n${lineOf('b', '')}\n`);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 65_535) pieces.push(bytes.subarray(at, at + 65_535));
  const { events, error } = await watched(pieces);
  expect(error).toBeUndefined();
  expect(namesOf(events)).toEqual(['a', 'long', 'b']);
  expect(events[1]).toEqual(eventOf('long', text));
});

test.each([
  ['a line that was cut off', `${lineOf('a', '')}\n${lineOf('b', '')}\n${lineOf('c', '').slice(0, 40)}`],
  ['a line that is not JSON', `${lineOf('a', '')}\n${lineOf('b', '')}\n<html>\n${lineOf('c', '')}\n`],
  ['a line that is not an event', `${lineOf('a', '')}\n${lineOf('b', '')}\n[1]\n${lineOf('c', '')}\n`],
  ['two events in a line', `${lineOf('a', '')}\n${lineOf('b', '')}\n${lineOf('c', '')},${lineOf('d', '')}\n`],
])('before %s all come, and then an error', async (_case, text) => {
  const { events, error } = await watched([encoder.encode(text)]);
  expect(namesOf(events)).toEqual(['a', 'b']);
  expect(error).toBeInstanceOf(Error);
});
