import type { Call } from '../backend.js';
import type { WatchEvent, WatchParameters } from '../client.js';
import { recordFailure } from './call-audit.js';
import { rethrow } from './call-errors.js';
import { listOptions } from './list-options.js';
import { formOf } from './object-form.js';
import { readsOnly, RunningCall } from './running-call.js';
import type { InProcessServices } from './services.js';
import { eventOf, openInTime, type OpenedWatch } from './watch-events.js';

/** Yields the events of a watch until it ends. */
export async function* watchObjects<Item>(
  services: InProcessServices,
  call: Call,
): AsyncGenerator<WatchEvent<Item>, void, undefined> {
  if (call.client.at !== undefined) throw readsOnly('watch');
  const parameters: WatchParameters = call.parameters;
  const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((error: unknown) => rethrow(error, parameters.signal));
  const form = formOf<Item>(call.form);
  const running = new RunningCall(services, call);
  const alive = parameters.keepAlive === false ? undefined : services.keepAlive();
  let opened: OpenedWatch | undefined;
  try {
    alive?.hold();
    opened = await answered(openInTime(services, running.intercepted(openWatch)));
    if (running.audit !== undefined) await running.audit.started(running.code);
    const { operations, notices } = opened;
    for (let next = await answered(notices.next()); next.done !== true; next = await answered(notices.next())) {
      // While the caller handles an event, the watch does not keep the process alive.
      alive?.release();
      const event = eventOf(form, operations.store, next.value);
      yield event instanceof Promise ? await event : event;
      alive?.hold();
    }
  } catch (error) {
    await recordFailure(running, error);
    throw error;
  } finally {
    alive?.end();
    await opened?.notices.return?.();
    if (running.audit !== undefined) await running.audit.completed(running.code);
  }
}

async function openWatch(running: RunningCall): Promise<OpenedWatch> {
  const { namespace, parameters: given } = running.call;
  const parameters: WatchParameters = given;
  const operations = await running.start();
  const { store } = operations;
  const { allowWatchBookmarks, sendInitialEvents, timeoutSeconds, signal } = parameters;
  const options = { ...listOptions(store.info, parameters), allowWatchBookmarks, sendInitialEvents, timeoutSeconds };
  const notices = await store.watch(namespace, options, signal);
  const { interception } = running;
  return { operations, notices: interception === undefined ? notices : interception.watch(notices) };
}
