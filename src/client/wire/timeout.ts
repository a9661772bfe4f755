import type { Clock, OutboundStream } from '../../foundation/index.js';
import type { Sender, SocketOpener } from './sender.js';

/** Bounds the time until a WebSocket is open, in milliseconds. */
export function opensInTime(open: SocketOpener, clock: Clock, timeoutMs: number): SocketOpener {
  return async (request) => {
    const late = new AbortController();
    const timer = clock.after(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const signal = request.signal === undefined ? late.signal : AbortSignal.any([request.signal, late.signal]);
    try {
      return await open({ ...request, signal });
    } finally {
      timer.cancel();
    }
  };
}

/**
 * Bounds the time until a response has arrived; of a lasting one, until it begins.
 *
 * @param timeoutMs time of one attempt, in milliseconds
 */
export function bounded(send: Sender, clock: Clock, timeoutMs: number): Sender {
  return async (request) => {
    const late = new AbortController();
    const timer = clock.after(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const signal = request.signal === undefined ? late.signal : AbortSignal.any([request.signal, late.signal]);
    let response: OutboundStream;
    try {
      response = await send({ ...request, signal });
    } catch (error) {
      timer.cancel();
      throw error;
    }
    if (request.lasting === true) {
      timer.cancel();
      return response;
    }
    const { status, header, fields, body, cancel } = response;
    return {
      ...{ status, header, fields },
      body: untilRead(body, () => timer.cancel()),
      cancel: () => {
        timer.cancel();
        cancel();
      },
    };
  };
}

async function* untilRead(body: AsyncIterable<Uint8Array>, ended: () => void): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body;
  } finally {
    ended();
  }
}
