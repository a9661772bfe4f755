import { describe, expect, test } from 'vitest';
import {
  inProcessDispatcher,
  type DispatchController,
  type DispatchOptions,
} from '../../src/client/client-node/client-node-dispatcher.js';
import type { ApiRequest, ApiResponse, Handler } from '../../src/server/requests/http.js';

const decoder = new TextDecoder();

/** The calls that a handler received. */
interface Reported {
  readonly status: number | undefined;
  readonly headers: unknown;
  readonly text: string;
  readonly error: Error | undefined;
}

function dispatch(
  handle: Handler,
  options: Partial<DispatchOptions> = {},
  steer: (controller: DispatchController, chunk?: string) => void = () => undefined,
): Promise<Reported> {
  return new Promise((resolve) => {
    let status: number | undefined;
    let headers: unknown;
    let text = '';
    inProcessDispatcher({ handle }).dispatch(
      { path: '/x?a=1', method: 'GET', ...options },
      {
        onRequestStart: (controller) => steer(controller),
        onResponseStart: (controller, code, fields) => {
          status = code;
          headers = fields;
          expect(controller.rawHeaders).toBe(fields);
        },
        onResponseData: (controller, chunk) => {
          text += decoder.decode(chunk);
          steer(controller, decoder.decode(chunk));
        },
        onResponseEnd: () => resolve({ status, headers, text, error: undefined }),
        onResponseError: (_controller, error) => resolve({ status, headers, text, error }),
      },
    );
  });
}

const answer = (body: ApiResponse['body'], status = 200): ApiResponse => ({
  status,
  headers: { 'x-one': '1', 'x-many': ['a', 'ä\n'] },
  body,
});

/** A stream that counts the chunks read and records its cancellation. */
function counted(length: number): { stream: AsyncIterable<Uint8Array>; state: { taken: number; released: boolean } } {
  const state = { taken: 0, released: false };
  async function* stream(): AsyncGenerator<Uint8Array> {
    try {
      for (; state.taken < length;) yield new TextEncoder().encode(String((state.taken += 1)));
    } finally {
      state.released = true;
    }
  }
  return { stream: stream(), state };
}

describe('the request', () => {
  test('path, query and method arrive as sent', async () => {
    let seen: Partial<ApiRequest> = {};
    await dispatch(
      async (request) => ((seen = { method: request.method, path: request.path, query: request.query }), answer('')),
      { path: '/a%2Fb?x=%20&y', method: 'DELETE' },
    );
    expect(seen).toEqual({ method: 'DELETE', path: '/a%2Fb', query: 'x=%20&y' });
  });

  test.each([
    ['a record', { Accept: 'text/plain', 'X-A': ['1', '2'] }],
    ['a flat list', ['Accept', 'text/plain', 'X-A', '1', 'X-A', '2']],
    [
      'pairs',
      new Map<string, unknown>([
        ['accept', 'text/plain'],
        ['x-a', ['1', '2']],
      ]),
    ],
  ])('header fields as %s', async (_form, headers) => {
    let seen: unknown;
    await dispatch(
      async (request) => (
        (seen = [
          request.headers.get('accept'),
          request.headers.getAll('x-a'),
          [...request.headers.names()],
          request.headers.get('none'),
        ]),
        answer('')
      ),
      { headers },
    );
    expect(seen).toEqual(['text/plain', ['1', '2'], ['accept', 'x-a'], undefined]);
  });

  async function* chunks(): AsyncGenerator<unknown> {
    yield 'one ';
    yield new TextEncoder().encode('twö');
  }

  test.each<[string, unknown, string]>([
    ['none', null, ''],
    ['a text', 'täxt', 'täxt'],
    ['bytes', new TextEncoder().encode('bytes'), 'bytes'],
    ['chunks', chunks(), 'one twö'],
  ])('a body: %s', async (_form, body, expected) => {
    const { text } = await dispatch(async (request) => answer(await request.body(100)), { method: 'POST', body });
    expect(text).toBe(expected);
  });

  test('a body beyond the limit, and one of an unknown form', async () => {
    const read: Handler = async (request) => answer(await request.body(3));
    expect((await dispatch(read, { body: 'four' })).error?.message).toBe('limit is 3');
    expect((await dispatch(read, { body: 5 })).error).toBeInstanceOf(TypeError);
  });
});

describe('the response', () => {
  test.each<[string, ApiResponse['body'], string]>([
    ['nothing', undefined, ''],
    ['a text', 'täxt', 'täxt'],
    ['bytes', new TextEncoder().encode('bytes'), 'bytes'],
    ['parts', { head: '[', parts: ['1', '"ä"'], separator: ',', tail: ']', ascii: false }, '[1,"ä"]'],
    ['chunks', { chunks: [new TextEncoder().encode('one'), new TextEncoder().encode('two')] }, 'onetwo'],
    ['a stream', counted(3), '123'],
  ])('%s arrives complete', async (_form, body, expected) => {
    expect(await dispatch(async () => answer(body, 201))).toEqual({
      status: 201,
      headers: { 'x-one': '1', 'x-many': ['a', 'Ã¤ '] },
      text: expected,
      error: undefined,
    });
  });

  test('HEAD has no body, and its stream is cancelled', async () => {
    const { stream, state } = counted(3);
    await stream[Symbol.asyncIterator]().next();
    expect((await dispatch(async () => answer({ stream }), { method: 'HEAD' })).text).toBe('');
    expect(state).toEqual({ taken: 1, released: true });
  });

  test('a slow reader slows the source', async () => {
    const { stream, state } = counted(5);
    const taken: number[] = [];
    const { text } = await dispatch(
      async () => answer({ stream }),
      {},
      (controller, chunk) => {
        if (chunk === undefined) return;
        controller.pause();
        setImmediate(() => {
          taken.push(state.taken);
          controller.resume();
        });
      },
    );
    expect([text, taken]).toEqual(['12345', [1, 2, 3, 4, 5]]);
  });

  test('a stream that breaks is an error after the data before it', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('half');
      throw new Error('broken');
    }
    const reported = await dispatch(async () => answer({ stream: broken() }));
    expect([reported.text, reported.error?.message]).toEqual(['half', 'broken']);
  });
});

describe('a client that aborts', () => {
  test('before the server is called', async () => {
    let asked = false;
    const reported = await dispatch(
      async () => ((asked = true), answer('')),
      {},
      (controller) => controller.abort(new Error('no')),
    );
    expect([asked, reported.error?.message, reported.status]).toEqual([false, 'no', undefined]);
  });

  test('while the server works: its signal aborts, and a stream that it returns is cancelled', async () => {
    const { stream, state } = counted(3);
    await stream[Symbol.asyncIterator]().next();
    let controller: DispatchController | undefined;
    let received: unknown;
    const reported = await dispatch(
      async ({ signal }) => {
        signal.addEventListener('abort', () => (received = signal.reason));
        controller?.abort(new Error('gone'));
        return answer({ stream });
      },
      {},
      (given) => (controller = given),
    );
    await new Promise(setImmediate);
    expect([reported.status, reported.error?.message, received, state.released]).toEqual([
      undefined,
      'gone',
      reported.error,
      true,
    ]);
  });

  test('in the middle of a stream, paused or not', async () => {
    for (const pause of [true, false]) {
      const { stream, state } = counted(5);
      const reported = await dispatch(
        async () => answer({ stream }),
        {},
        (controller, chunk) => {
          if (chunk !== '2') return;
          if (pause) controller.pause();
          setImmediate(() => controller.abort(new Error('enough')));
          if (!pause) controller.abort(new Error('enough'));
        },
      );
      await new Promise(setImmediate);
      expect([reported.text, reported.error?.message, state]).toEqual(['12', 'enough', { taken: 2, released: true }]);
    }
  });

  test('after the end has no effect', async () => {
    let controller: DispatchController | undefined;
    const reported = await dispatch(
      async () => answer('whole'),
      {},
      (given) => (controller = given),
    );
    controller?.abort(new Error('late'));
    expect([reported.text, reported.error, controller?.aborted]).toEqual(['whole', undefined, false]);
  });
});
