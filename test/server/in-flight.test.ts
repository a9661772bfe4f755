import { describe, expect, it } from 'vitest';
import { InFlightLimiter, isLimited, requestClass, tooManyRequests } from '../../src/server/in-flight.js';

describe('InFlightLimiter', () => {
  it('gives as many places as there are, to each class', () => {
    const limiter = new InFlightLimiter({ maxReadOnly: 2, maxMutating: 1 });
    const first = limiter.acquire('readOnly');
    expect(limiter.acquire('readOnly')).toBeTypeOf('function');
    expect(limiter.acquire('readOnly')).toBeUndefined();
    expect(limiter.acquire('mutating')).toBeTypeOf('function');
    expect(limiter.acquire('mutating')).toBeUndefined();
    first?.();
    expect(limiter.current).toEqual({ readOnly: 1, mutating: 1 });
    expect(limiter.acquire('readOnly')).toBeTypeOf('function');
  });

  it.each([
    ['readOnly', 400],
    ['mutating', 200],
  ] as const)('has by default %s %i', (kind, count) => {
    const limiter = new InFlightLimiter();
    for (let index = 0; index < count; index += 1) expect(limiter.acquire(kind)).toBeDefined();
    expect(limiter.acquire(kind)).toBeUndefined();
  });

  it('has no bound with 0', () => {
    const limiter = new InFlightLimiter({ maxMutating: 0 });
    for (let index = 0; index < 1000; index += 1) expect(limiter.acquire('mutating')).toBeDefined();
  });
});

it.each([
  ['get', 'readOnly'],
  ['list', 'readOnly'],
  ['create', 'mutating'],
  ['deletecollection', 'mutating'],
  ['', 'mutating'],
])('%j is %s', (verb, expected) => {
  expect(requestClass(verb)).toBe(expected);
});

it('lets watches and masters through', () => {
  expect(isLimited('watch', [])).toBe(false);
  expect(isLimited('create', ['system:masters'])).toBe(false);
  expect(isLimited('get', ['system:authenticated'])).toBe(true);
});

it('answers 429', () => {
  expect(tooManyRequests().status).toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
    message: 'Too many requests, please try again later.',
    details: { retryAfterSeconds: 1 },
  });
});
