import { describe, expect, test } from 'vitest';
import type { AuthResult, TokenAuthenticator } from '../../../src/security/index.js';
import type { TokenContext } from '../../../src/security/authn/authenticator.js';
import { cachedTokenAuthenticator, type TokenCacheOptions } from '../../../src/security/authn/token-cache.js';
import { createManualClock, seededEntropy } from '../../../src/entries/testing.js';

const user = (username: string): AuthResult => ({ user: { username, groups: [] } });

/** A request, with the warnings added to it. */
function requestOf(
  audiences?: readonly string[],
): TokenContext & { readonly warnings: string[]; readonly abort: AbortController } {
  const abort = new AbortController();
  const warnings: string[] = [];
  return {
    abort,
    signal: abort.signal,
    warnings,
    warn: (text) => void warnings.push(text),
    ...(audiences === undefined ? {} : { audiences }),
  };
}

function cache(authenticator: TokenAuthenticator, options: Partial<TokenCacheOptions> = {}) {
  const clock = createManualClock();
  const calls: string[] = [];
  const counted: TokenAuthenticator = (token, request) => {
    calls.push(token);
    return authenticator(token, request);
  };
  const authenticate = cachedTokenAuthenticator(counted, { clock, entropy: seededEntropy(1), ...options });
  return { clock, calls, ask: (token: string, request: TokenContext = requestOf()) => authenticate(token, request) };
}

/** An authenticator that answers when the test says so. */
function slow() {
  const pending: {
    token: string;
    request: TokenContext;
    answer: (result: AuthResult) => void;
    fail: (error: Error) => void;
  }[] = [];
  const authenticator: TokenAuthenticator = (token, request) =>
    new Promise((answer, fail) => pending.push({ token, request, answer, fail }));
  return { pending, authenticator };
}

describe('the token cache', () => {
  test('remembers a user for ten seconds, and answers synchronously', async () => {
    const { ask, calls, clock } = cache(async (token) => user(token));
    const first = await ask('a');
    expect(first).toEqual(user('a'));
    await clock.advance(9_999);
    expect(ask('a')).toBe(first);
    expect(calls).toEqual(['a']);
    await clock.advance(1);
    expect(await ask('a')).toEqual(user('a'));
    expect(calls).toEqual(['a', 'a']);
  });

  test('stays synchronous for a synchronous authenticator', () => {
    const { ask, calls } = cache(user);
    expect([ask('a'), ask('a')]).toEqual([user('a'), user('a')]);
    expect(calls).toEqual(['a']);
  });

  test('does not remember an unknown token unless configured to', async () => {
    const forgetful = cache(() => undefined);
    expect([forgetful.ask('a'), forgetful.ask('a'), forgetful.calls.length]).toEqual([undefined, undefined, 2]);
    const configured = cache(() => undefined, { failureTtlMs: 500 });
    expect([configured.ask('a'), configured.ask('a'), configured.calls.length]).toEqual([undefined, undefined, 1]);
    await configured.clock.advance(500);
    expect([configured.ask('a'), configured.calls.length]).toEqual([undefined, 2]);
  });

  test('never remembers an error', async () => {
    const error = new Error('down');
    const { ask, calls } = cache(async () => ({ error }), { failureTtlMs: 60_000 });
    expect([await ask('a'), await ask('a')]).toEqual([{ error }, { error }]);
    expect(calls).toHaveLength(2);
  });

  test('remembers nothing with a duration of 0', () => {
    const { ask, calls } = cache(user, { successTtlMs: 0 });
    void ask('a');
    void ask('a');
    expect(calls).toHaveLength(2);
  });

  test('separates requested audiences, however they are spelled', () => {
    const lists = [undefined, [], [''], ['a'], ['b'], ['a', 'b'], ['ab'], ['b', 'a'], ['a1:b'], ['1:a'], ['a', '']];
    const { ask, calls } = cache((token, { audiences }) => user(`${token} ${JSON.stringify(audiences)}`));
    for (const round of [1, 2]) {
      for (const audiences of lists)
        expect(ask('t', requestOf(audiences)), `round ${round}`).toEqual(user(`t ${JSON.stringify(audiences)}`));
    }
    expect(calls).toHaveLength(lists.length);
    // A token cannot pass for an audience.
    for (const [token, audiences] of [
      ['1:at', undefined],
      ['t', ['1:a']],
      ['-t', undefined],
    ] as const)
      expect(ask(token, requestOf(audiences))).toEqual(user(`${token} ${JSON.stringify(audiences)}`));
  });

  test('keeps the most recently used tokens when it is full', () => {
    const { ask, calls } = cache(user, { size: 3 });
    for (const token of ['a', 'b', 'c', 'a', 'd', 'a', 'c', 'd']) void ask(token);
    expect(calls).toEqual(['a', 'b', 'c', 'd']);
    void ask('b');
    expect(calls).toEqual(['a', 'b', 'c', 'd', 'b']);
    void ask('a');
    expect(calls).toEqual(['a', 'b', 'c', 'd', 'b', 'a']);
  });

  test('counts a large result as several', () => {
    const groups = Array.from({ length: 100 }, (_, index) => `a-group-with-some-name-${index}`);
    const { ask, calls } = cache((username) => ({ user: { username, groups: username === 'large' ? groups : [] } }), {
      size: 6,
    });
    for (const token of ['a', 'b', 'c', 'large', 'c', 'large', 'a']) void ask(token);
    // The large one counts five, so that only one beside it stays.
    expect(calls).toEqual(['a', 'b', 'c', 'large', 'a']);
  });

  test('repeats the warnings of a user, and adds none', async () => {
    const { ask } = cache(
      (token, request) => {
        request.warn?.(`${token} is old`);
        return token === 'a' ? user('a') : undefined;
      },
      { failureTtlMs: 1000 },
    );
    const [first, second, third, unknown] = [requestOf(), requestOf(), { signal: requestOf().signal }, requestOf()];
    for (const request of [first, second, third]) void ask('a', request);
    void ask('b', unknown);
    expect([first.warnings, second.warnings, unknown.warnings]).toEqual([['a is old'], ['a is old'], []]);
  });

  test('contains no token', () => {
    const held = new Set<unknown>();
    const [set, get] = [Map.prototype.set, Map.prototype.get];
    Map.prototype.set = function (this: Map<unknown, unknown>, key, value) {
      held.add(key);
      return set.call(this, key, value) as typeof this;
    };
    Map.prototype.get = function (this: Map<unknown, unknown>, key) {
      held.add(key);
      return get.call(this, key);
    };
    try {
      void cache(user).ask('top-secret-token');
    } finally {
      Map.prototype.set = set;
      Map.prototype.get = get;
    }
    expect([...held].every((key) => !String(key).includes('secret'))).toBe(true);
    expect([...held]).toContainEqual(expect.stringMatching(/^[-_A-Za-z0-9]{43}$/));
  });

  test('uses different keys for one token in two caches', () => {
    const keys: unknown[] = [];
    const set = Map.prototype.set;
    Map.prototype.set = function (this: Map<unknown, unknown>, key, value) {
      keys.push(key);
      return set.call(this, key, value) as typeof this;
    };
    try {
      for (const seed of [1, 2]) void cache(user, { entropy: seededEntropy(seed) }).ask('t');
    } finally {
      Map.prototype.set = set;
    }
    expect(keys).toHaveLength(2);
    expect(keys[0]).not.toBe(keys[1]);
  });
});

describe('concurrent requests for the same token', () => {
  test('share one lookup, and each gets its warnings', async () => {
    const { pending, authenticator } = slow();
    const { ask, calls } = cache(authenticator);
    const requests = [requestOf(), requestOf(), requestOf()];
    const answers = requests.map((request) => ask('a', request));
    const other = ask('b');
    expect(calls).toEqual(['a', 'b']);
    pending[0]?.request.warn?.('careful');
    pending[0]?.answer(user('a'));
    pending[1]?.answer(undefined);
    expect(await Promise.all(answers)).toEqual([user('a'), user('a'), user('a')]);
    expect(requests.map(({ warnings }) => warnings)).toEqual([['careful'], ['careful'], ['careful']]);
    expect(await other).toBeUndefined();
    expect(ask('a')).toEqual(user('a'));
  });

  test('do not share a lookup for different audiences', () => {
    const { authenticator } = slow();
    const { ask, calls } = cache(authenticator);
    void ask('a', requestOf(['x']));
    void ask('a', requestOf(['y']));
    expect(calls).toHaveLength(2);
  });

  test('all get an error, and the next request looks up again', async () => {
    const { pending, authenticator } = slow();
    const { ask, calls } = cache(authenticator);
    const answers = [ask('a'), ask('a')];
    const error = new Error('down');
    pending[0]?.answer({ error });
    expect(await Promise.all(answers)).toEqual([{ error }, { error }]);
    void ask('a');
    expect(calls).toHaveLength(2);
  });

  test('all fail with an authenticator that throws', async () => {
    const { pending, authenticator } = slow();
    const { ask, calls } = cache(authenticator);
    const answers = [ask('a'), ask('a')];
    pending[0]?.fail(new Error('broken'));
    for (const result of await Promise.allSettled(answers))
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
    void ask('a');
    expect(calls).toHaveLength(2);
  });

  test('continue when the first one is aborted', async () => {
    const { pending, authenticator } = slow();
    const { ask, clock } = cache(authenticator);
    const [first, second] = [requestOf(['x']), requestOf(['x'])];
    const answers = [ask('a', first), ask('a', second)];
    first.abort.abort();
    expect(await answers[0]).toMatchObject({ error: { message: 'the request ended before its token was checked' } });
    expect([pending[0]?.request.signal.aborted, pending[0]?.request.audiences]).toEqual([false, ['x']]);
    pending[0]?.answer(user('a'));
    expect(await answers[1]).toEqual(user('a'));
    expect(clock.pending).toBe(0);
  });

  test('do not wait if already aborted', async () => {
    const { authenticator } = slow();
    const { ask } = cache(authenticator);
    const gone = requestOf();
    gone.abort.abort();
    expect(await ask('a', gone)).toMatchObject({
      error: { message: 'the request ended before its token was checked' },
    });
  });

  test('are rejected when too many others are in progress', async () => {
    const { pending, authenticator } = slow();
    const { ask, calls } = cache(authenticator, { size: 2 });
    const answers = [ask('a'), ask('b'), ask('a')];
    expect(ask('c')).toMatchObject({ error: { message: 'too many concurrent token lookups' } });
    for (const { answer, token } of pending) answer(user(token));
    expect(await Promise.all(answers)).toEqual([user('a'), user('b'), user('a')]);
    void ask('c');
    expect(calls).toEqual(['a', 'b', 'c']);
  });

  test('do not wait forever: after thirty seconds the lookup is aborted and fails', async () => {
    const { pending, authenticator } = slow();
    const { ask, clock, calls } = cache(authenticator);
    const answer = ask('a');
    const { signal } = pending[0]?.request ?? requestOf();
    await clock.advance(29_999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    expect(await answer).toMatchObject({ error: { message: 'the token was not checked within 30 seconds' } });
    pending[0]?.answer(user('late'));
    await clock.settle();
    void ask('a');
    expect(calls).toHaveLength(2);
    expect(clock.pending).toBe(1);
  });
});

describe('tokens whose lookups last', () => {
  const text = (size: number, index: number): string => `${index}`.padEnd(size, 't');
  test('are bounded in bytes, and long ones leave room for short ones', async () => {
    const { pending, authenticator } = slow();
    const { ask } = cache(authenticator);
    const long = Array.from({ length: 1_000 }, (_, index) => ask(text(60_000, index)));
    const begun = pending.length;
    expect(begun).toBeGreaterThan(100);
    expect(begun * 60_000).toBeLessThan(8 * 1024 * 1024);
    expect(await long[begun]).toEqual({ error: new Error('too many concurrent token lookups') });
    const short = Array.from({ length: 200 }, (_, index) => ask(text(1_000, index)));
    expect(pending).toHaveLength(begun + 200);
    for (const { token, answer } of pending) answer(user(token));
    await Promise.all([...long, ...short]);
    // The room is free again.
    const again = Array.from({ length: begun }, (_, index) => ask(text(60_000, 5_000 + index)));
    expect(pending).toHaveLength(2 * begun + 200);
    for (const { token, answer } of pending) answer(user(token));
    expect(await again[begun - 1]).toEqual(user(text(60_000, 5_000 + begun - 1)));
  });

  test('give their room back when they fail', async () => {
    const { pending, authenticator } = slow();
    const { ask } = cache(authenticator);
    for (let round = 0; round < 3; round += 1) {
      const lookups = Array.from({ length: 100 }, (_, index) => ask(text(60_000, round * 100 + index)));
      expect(pending).toHaveLength((round + 1) * 100);
      for (const { fail } of pending.slice(round * 100)) fail(new Error('down'));
      await Promise.allSettled(lookups);
    }
  });

  test('give their room back when the authenticator throws', () => {
    const { ask, calls } = cache(() => {
      throw new Error('down');
    });
    for (let index = 0; index < 1_000; index += 1) expect(() => ask(text(60_000, index))).toThrow('down');
    expect(calls).toHaveLength(1_000);
  });
});
