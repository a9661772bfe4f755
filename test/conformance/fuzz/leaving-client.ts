/**
 * Clients over real sockets that leave at a random point of a request.
 *
 * @module
 */
import { request as httpRequest, type ClientRequest } from 'node:http';
import { constants, type ClientHttp2Session } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import { nextTurn } from '../../../src/foundation/async/turn.js';
import type { Chance } from './chance.js';

/** A request as bytes. */
export interface SentRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** When a client leaves. `slow` and `whole` stay to the end of the answer. */
const LEAVES = ['in the body', 'after the body', 'at the answer', 'in the answer', 'slow', 'whole', 'whole'] as const;

/** Turns of the event loop that a slow reader waits before each chunk. */
const SLOW_TURNS = 20;

/** The two halves of a request, of either version of HTTP. */
interface Exchange {
  readonly sending: Writable;
  /** Resolves with the answer once its head has come. Rejects when the connection ends before. */
  readonly answer: Promise<{ readonly status: number; readonly stream: Readable }>;
  leave(): void;
}

/**
 * Sends a request, and leaves at a point that chance decides. Streams that do not end by themselves are left after their
 * first chunk.
 *
 * @returns the status of the answer; 0 when the client left before it
 */
export async function sendAndLeave(exchange: Exchange, body: string | undefined, chance: Chance): Promise<number> {
  const leaves = chance.pick(LEAVES);
  const { sending, answer, leave } = exchange;
  sending.on('error', () => undefined);
  const half = (body ?? '').slice(0, Math.floor((body ?? '').length / 2));
  if (leaves === 'in the body') {
    answer.catch(() => undefined);
    sending.write(half === '' ? ' ' : half);
    for (let turns = chance.below(6); turns > 0; turns -= 1) await nextTurn();
    leave();
    return 0;
  }
  sending.end(body);
  if (leaves === 'after the body') {
    answer.catch(() => undefined);
    for (let turns = chance.below(12); turns > 0; turns -= 1) await nextTurn();
    leave();
    return 0;
  }
  try {
    const { status, stream } = await answer;
    stream.on('error', () => undefined);
    if (leaves !== 'at the answer') await readFrom(stream, leaves);
    leave();
    return status;
  } catch {
    return 0;
  }
}

async function readFrom(stream: Readable, leaves: (typeof LEAVES)[number]): Promise<void> {
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    if (leaves === 'in the answer' && chunk.length > 0) return;
    if (leaves === 'slow') for (let turns = 0; turns < SLOW_TURNS; turns += 1) await nextTurn();
  }
}

/** A request by HTTP/1.1. */
export function byHttp1(url: string, { method, target, headers, body }: SentRequest): Exchange {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const request: ClientRequest = httpRequest(url + target, {
    method,
    headers: { ...headers, ...length },
    agent: false,
  });
  const answer = new Promise<{ status: number; stream: Readable }>((resolve, reject) => {
    request.on('response', (response) => resolve({ status: response.statusCode ?? 0, stream: response }));
    request.on('error', reject);
    request.on('close', () => reject(new Error('closed')));
  });
  return { sending: request, answer, leave: () => void request.destroy() };
}

/** A request by HTTP/2, on a connection that it shares with others. */
export function byHttp2(session: ClientHttp2Session, { method, target, headers }: SentRequest): Exchange {
  const stream = session.request({ ':method': method, ':path': target, ...headers }, { endStream: false });
  const answer = new Promise<{ status: number; stream: Readable }>((resolve, reject) => {
    stream.on('response', (fields) => resolve({ status: fields[':status'] ?? 0, stream }));
    stream.on('error', reject);
    stream.on('close', () => reject(new Error('closed')));
  });
  return { sending: stream, answer, leave: () => stream.close(constants.NGHTTP2_CANCEL) };
}
