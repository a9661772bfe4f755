import { AsyncResource } from 'node:async_hooks';

type Bound = (this: unknown, ...given: unknown[]) => unknown;

/**
 * Runs a synchronous function while `AsyncResource.prototype.bind` leaves out the deprecated property `asyncResource`.
 *
 * Node 20 to 24 call `bind` in each request of an HTTP/2 session. The accessors of this property make hidden classes
 * whose prototypes lead to the stream. Only full garbage collections free hidden classes: until the next one, every
 * stream stays in memory, and each collection of young objects copies the new ones, which takes 5 to 20 ms beside
 * thousands of calls. The accessors also take a third of the processor time of a call.
 */
export function withLightBinding<Result>(run: () => Result): Result {
  const present: unknown = Reflect.get(AsyncResource.prototype, 'bind');
  Reflect.set(AsyncResource.prototype, 'bind', bindLightly);
  try {
    return run();
  } finally {
    Reflect.set(AsyncResource.prototype, 'bind', present);
  }
}

function bindLightly(this: AsyncResource, run: Bound, thisArgument?: unknown): Bound {
  const runIn = (self: unknown, given: unknown[]): unknown => this.runInAsyncScope(run, self, ...given);
  return function (...given) {
    return runIn(thisArgument === undefined ? this : thisArgument, given);
  };
}
