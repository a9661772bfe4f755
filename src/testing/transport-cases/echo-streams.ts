import { onAbort } from '../../meta/on-abort.js';
import type { ApiRequest, StreamBody } from '../../server/http.js';
import type { Observations } from './echo-observations.js';

const encoder = new TextEncoder();

/** Size of a chunk of {@link flood}, bytes. */
export const FLOOD_CHUNK_BYTES = 64 * 1024;
/** Chunks after which {@link flood} ends: far more than all buffers on the way hold. */
export const FLOOD_CHUNKS = 16 * 1024;

/** `count` lines and the end. */
export function lines(count: number): StreamBody {
  return {
    stream: (async function* () {
      for (let at = 0; at < count; at++) yield encoder.encode(`line ${at}\n`);
    })(),
  };
}

/** A first chunk, a second when the gate is opened by another request, and the end. */
export function gated(opened: Promise<void>): StreamBody {
  return {
    stream: (async function* () {
      yield encoder.encode('first');
      await opened;
      yield encoder.encode(' second');
    })(),
  };
}

/** A chunk and then a failure. */
export function failing(): StreamBody {
  return {
    stream: (async function* () {
      yield encoder.encode('first');
      throw new Error('the source failed');
    })(),
  };
}

/** A first chunk and then nothing, until the client is gone; what became of it is recorded. */
export function never(request: ApiRequest, observations: Observations, id: string): StreamBody {
  const { observation, end } = observations.of(id);
  const { signal } = request;
  return {
    stream: (async function* () {
      try {
        observation.pulls++;
        yield encoder.encode('watching\n');
        await aborted(signal);
        observation.aborted = true;
      } finally {
        observation.released = true;
        end();
      }
    })(),
  };
}

/** Large chunks as fast as they are pulled. */
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
