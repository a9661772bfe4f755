import { encodeUtf8, onAbort } from '../../foundation/index.js';
import type { ApiRequest, StreamBody } from '../../server/index.js';
import type { Observations } from './echo-observations.js';

/** Size of a chunk of {@link flood}, in bytes. */
export const FLOOD_CHUNK_BYTES = 64 * 1024;
/** Number of chunks after which {@link flood} ends: far more than all buffers in between hold. */
export const FLOOD_CHUNKS = 16 * 1024;

/** Returns a stream of `count` lines. */
export function lines(count: number): StreamBody {
  return {
    stream: (async function* () {
      for (let at = 0; at < count; at++) yield encodeUtf8(`line ${at}\n`);
    })(),
  };
}

/** Returns a stream with a first chunk, and a second one after another request opens the gate. */
export function gated(opened: Promise<void>): StreamBody {
  return {
    stream: (async function* () {
      yield encodeUtf8('first');
      await opened;
      yield encodeUtf8(' second');
    })(),
  };
}

/** Returns a stream that fails after one chunk. */
export function failing(): StreamBody {
  return {
    stream: (async function* () {
      yield encodeUtf8('first');
      throw new Error('the source failed');
    })(),
  };
}

/** Returns a stream that sends one chunk and then waits until the client disconnects; records the outcome. */
export function never(request: ApiRequest, observations: Observations, id: string): StreamBody {
  const { observation, end } = observations.of(id);
  const { signal } = request;
  return {
    stream: (async function* () {
      try {
        observation.pulls++;
        yield encodeUtf8('watching\n');
        await aborted(signal);
        observation.aborted = true;
      } finally {
        observation.released = true;
        end();
      }
    })(),
  };
}

/** Returns a stream of large chunks, as fast as the transport pulls them. */
export function flood(observations: Observations, id: string): StreamBody {
  const { observation, end } = observations.of(id);
  const chunk = new Uint8Array(FLOOD_CHUNK_BYTES).fill(0x61);
  return {
    stream: (async function* () {
      try {
        while (observation.pulls < FLOOD_CHUNKS) {
          observation.pulls++;
          yield chunk;
        }
      } finally {
        observation.released = true;
        end();
      }
    })(),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });
}
